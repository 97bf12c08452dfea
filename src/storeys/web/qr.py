"""Links as pictures that a phone reads: QR codes of our own addresses, and of no others."""

import io
import re
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response

from storeys.web.contents import LateRoute

SECRET = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""What may stand in a link: a token, or a phrase."""

router = APIRouter(include_in_schema=False, route_class=LateRoute)


@router.get("/join/{secret}/qr.svg")
@router.get("/move/{secret}/qr.svg")
@router.get("/carry/{secret}/qr.svg")
async def link_picture(request: Request, secret: str) -> Response:
    """The link of which this is the picture, at the address by which the browser asked."""
    host = request.headers.get("host", "")
    if not SECRET.fullmatch(secret) or not host:
        raise HTTPException(404)
    path = request.url.path.removesuffix("/qr.svg")
    address = f"{request.url.scheme}://{quote(host, safe=':[].-')}{path}"
    headers = {"Cache-Control": "private, no-store"}
    return Response(qr_svg(address), media_type="image/svg+xml", headers=headers)


def qr_svg(text: str) -> bytes:
    """A QR code; black on white, whatever the page around it looks like.

    >>> from storeys.web.qr import qr_svg
    >>> qr_svg("https://play.example/join/vS7hQ2")[:41]
    b'<svg xmlns="http://www.w3.org/2000/svg" w'
    """
    import segno  # which nobody needs who plays alone

    written = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(written, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, scale=6)
    return written.getvalue()
