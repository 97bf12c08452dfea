"""What every game's picture is made of: SVG text, themes, isometric projection, areas and scenes.

A picture uses presentation attributes only (no styles, no scripts), so that a strict content
security policy takes it, and only what browsers and rasterisers both know.
"""
