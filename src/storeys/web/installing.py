"""What makes an app of the pages: a manifest, icons, and a service worker for when we are away.

The files of the pages have a version, a digest of all of them.  Pages and answers say it: a service
worker keeps each version apart, and a page whose scripts are of another one loads itself anew.
"""

import json
from functools import cache

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from storeys.kernel.messages import Message
from storeys.web.contents import LateRoute
from storeys.web.language import language_of
from storeys.web.pages import TEMPLATES, page
from storeys.web.versions import STATIC, files, version_of_files

SIZES = (180, 192, 512)
INK, PAPER = "#22303f", "#f6f3ec"

router = APIRouter(include_in_schema=False, route_class=LateRoute)


@router.get("/sw.js")
def service_worker() -> Response:
    """The service worker, with the version that it is of."""
    template = TEMPLATES.get_template("sw.js")
    text = template.render(version=version_of_files(), files=files())
    headers = {"Cache-Control": "no-cache"}
    return Response(text, media_type="text/javascript", headers=headers)


@router.get("/manifest.webmanifest")
def manifest(request: Request) -> Response:
    """How the app is called and looks where it is installed."""
    lang = language_of(request)
    content = {
        "name": "storeys",
        "short_name": "storeys",
        "description": Message("storeys.page.home-lead").text(lang),
        "lang": lang,
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": INK,
        "icons": [
            *({"src": f"/icons/{n}.png", "sizes": f"{n}x{n}", "type": "image/png"} for n in SIZES),
            {"src": "/icons/whole.png", "sizes": "512x512", "type": "image/png",
             "purpose": "maskable"},
        ],
    }  # fmt: skip
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"}
    text = json.dumps(content, ensure_ascii=False)
    return Response(text, media_type="application/manifest+json", headers=headers)


@router.get("/icons/{name}.png")
def icon(name: str) -> Response:
    """Our sign in some size; ``whole`` fills its square, for systems that cut icons out."""
    if name not in ("whole", *map(str, SIZES)):
        raise HTTPException(404)
    return Response(
        icon_png(name), media_type="image/png", headers={"Cache-Control": "public, max-age=86400"}
    )


@cache
def icon_png(name: str) -> bytes:
    """Our sign as pixels, from the same drawing as the icon of the tabs."""
    from storeys.raster import to_png

    svg = (STATIC / "favicon.svg").read_text("utf-8")
    if name == "whole":
        svg = svg.replace('rx="7"', "").replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"')
        svg = svg.replace(
            '<rect width="32" height="32"', '<rect x="-4" y="-4" width="40" height="40"'
        )
        return to_png(svg, width=512)
    return to_png(svg, width=int(name))


@router.get("/away", response_class=HTMLResponse)
def away(request: Request) -> HTMLResponse:
    """What is shown where the server is away and nothing was seen before."""
    return page(request, "away.html")
