"""The page that shows the API: Swagger UI, from files of our own and under the pages' policy."""

from importlib.util import find_spec
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from storeys.web.contents import LateRoute
from storeys.web.pages import page

FILES = "/static/swagger"
"""Where the files of Swagger UI are served."""
router = APIRouter(include_in_schema=False, route_class=LateRoute)


def folder() -> Path:
    """Where the package that carries Swagger UI keeps it; its code is not loaded."""
    package = find_spec("fastapi_offline")
    assert package is not None, "a requirement of storeys[web]"
    assert package.origin is not None
    return Path(package.origin).parent / "static"


@router.get("/docs", response_class=HTMLResponse)
def describe(request: Request) -> HTMLResponse:
    """Everything that programs can ask for, to be tried out."""
    return page(request, "docs.html", files=FILES)
