"""The table of operations as OpenAPI 3.1 has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from etalis_py.serve.media import JSON
from etalis_py.serve.operations import OPERATIONS, Operation, Parameter

__all__ = ["description"]


_ROOT: Final[Mapping[str, Any]] = {"url": "/", "description": "the engine main"}
_ENGINE: Final[Mapping[str, Any]] = {
    "url": "/engines/{engine}",
    "description": "any engine",
    "variables": {"engine": {"default": "main"}},
}


@cache
def description() -> dict[str, Any]:
    """The document."""
    from etalis_py import __version__

    paths: dict[str, dict[str, Any]] = {}
    for each in OPERATIONS:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "etalis_py", "version": __version__},
        "servers": [_ROOT, _ENGINE],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"problem": _problem()},
        },
    }


def _operation(each: Operation) -> dict[str, Any]:
    response: dict[str, Any] = {"description": each.summary}
    if each.status != 204:
        response["content"] = {media: {} for media in each.gives}
    module = each.handler.__module__.rpartition(".")[2]
    found: dict[str, Any] = {
        "summary": each.summary,
        "operationId": f"{module}_{each.handler.__name__}_{each.method.lower()}",
        "parameters": [_parameter(each, one) for one in each.parameters],
        "responses": {str(each.status): response, "default": {"$ref": "#/components/responses/problem"}},
    }
    if each.takes:
        content: dict[str, Any] = {media: {} for media in each.takes}
        content[each.takes[0]]["example"] = _example(each)
        found["requestBody"] = {"required": True, "content": content}
    if each.of_server:
        found["servers"] = [_ROOT]
    if each.role is not None:
        found["security"] = [{"token": []}]
        found["description"] = f"For who has the role {each.role}."
    return found


def _example(each: Operation) -> Any:
    return json.loads(each.example) if each.takes[0] == JSON else each.example


def _parameter(operation: Operation, each: Parameter) -> dict[str, Any]:
    in_path = f"{{{each.name}}}" in operation.path
    schema: dict[str, Any] = {"type": "integer", "minimum": 0} if each.is_number else {"type": "string"}
    if each.several:
        schema = {"type": "array", "items": schema}
    return {
        "name": each.name,
        "in": "path" if in_path else "query",
        "required": in_path or each.is_needed,
        "description": each.help,
        "schema": schema,
    }


def _problem() -> dict[str, Any]:
    text = {"type": "string"}
    members = {"title": text, "detail": text, "code": text, "hint": text, "status": {"type": "integer"}}
    schema = {"type": "object", "properties": {**members, "place": {"type": "object"}}}
    return {
        "description": "What is wrong (RFC 9457)",
        "content": {"application/problem+json": {"schema": schema}},
    }
