"""What the page requested, and what it got."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.browser.request_rules import FailReason, RequestRule, RuleAction
from pagelens.collectors.request_filter import RequestFilter
from pagelens.core.safe_text import without_surrogates
from pagelens.errors import InvalidInput, ToolDisabled
from pagelens.tools.definition import FileUse, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = [
    "add_request_rule",
    "clear_request_rules",
    "export_har",
    "get_network_request",
    "list_network_requests",
    "list_websocket_messages",
]

ResourceType = Literal[
    "document",
    "stylesheet",
    "image",
    "media",
    "font",
    "script",
    "texttrack",
    "xhr",
    "fetch",
    "prefetch",
    "eventsource",
    "websocket",
    "manifest",
    "signedexchange",
    "ping",
    "cspviolationreport",
    "preflight",
    "fedcm",
    "other",
]


class ListNetworkRequestsParams(ToolParams):
    pageSize: int | None = Field(default=None, gt=0, description="Requests a page; default 20.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")
    resourceTypes: list[ResourceType] | None = Field(default=None, description="Only these types.")
    urlPattern: str | None = Field(default=None, description="Only URLs that contain this; * stands for anything.")
    status: str | None = Field(
        default=None, description="Only these: 404, 4xx, 400-499, failed, pending; or several with commas."
    )
    includePreservedRequests: bool = Field(
        default=False, description="Also those of the last navigations before the current one."
    )


@define_page_tool(
    name="list_network_requests",
    title="List requests",
    category="network",
    description="Lists the requests of the page since its navigation, with reqid, method, URL and status.",
    read_only=True,
    params=ListNetworkRequestsParams,
)
async def list_network_requests(
    request: PageToolRequest[ListNetworkRequestsParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.include_network_requests(
        page_size=params.pageSize,
        page_idx=params.pageIdx,
        filter=RequestFilter(params.resourceTypes or (), params.urlPattern, params.status),
        include_preserved=params.includePreservedRequests,
    )
    response.attach_devtools_data()


class GetNetworkRequestParams(ToolParams):
    reqid: int | None = Field(default=None, description="Default: the request selected in the page's DevTools window.")
    requestFilePath: str | None = Field(default=None, description="Write the body that was sent to this file.")
    responseFilePath: str | None = Field(default=None, description="Write the body that was received to this file.")
    bodyOffset: int = Field(default=0, ge=0, description="Where to start in long bodies, in characters.")
    bodyLimit: int = Field(default=10_000, ge=0, le=50_000, description="Characters shown of a body.")


@define_page_tool(
    name="get_network_request",
    title="Get request",
    category="network",
    description="Shows one request in full: headers as sent and received, timing, who asked for it, redirects, bodies. "
    "Also those of earlier navigations and other pages, while they are kept.",
    read_only=False,  # file paths write
    params=GetNetworkRequestParams,
    lock="read",
    needs_answer=False,
    verify_files={
        "requestFilePath": FileUse("write", own=[".network-request"]),
        "responseFilePath": FileUse("write", own=[".network-response"]),
    },
)
async def get_network_request(
    request: PageToolRequest[GetNetworkRequestParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.attach_network_request(
        params.reqid,
        request_path=request.paths.get("requestFilePath"),
        response_path=request.paths.get("responseFilePath"),
        body_offset=params.bodyOffset,
        body_limit=params.bodyLimit,
    )


class ListWebSocketMessagesParams(ToolParams):
    reqid: int | None = Field(default=None, description="A WebSocket or event stream. Default: list which there are.")
    number: int | None = Field(default=None, gt=0, description="Only this message, whole.")
    direction: Literal["sent", "received"] | None = Field(default=None, description="Only these.")
    filter: str | None = Field(default=None, description="Only messages that contain this text.")
    pageSize: int | None = Field(default=None, gt=0, description="Messages a page; default 20.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")


@define_page_tool(
    name="list_websocket_messages",
    title="List WebSocket messages",
    category="network",
    description="Lists the messages of a WebSocket or event stream, oldest first; or which of them the page has.",
    read_only=True,
    params=ListWebSocketMessagesParams,
    needs_answer=False,
)
async def list_websocket_messages(
    request: PageToolRequest[ListWebSocketMessagesParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.include_websocket_messages(
        reqid=params.reqid,
        number=params.number,
        direction=params.direction,
        text=params.filter,
        page_size=params.pageSize,
        page_idx=params.pageIdx,
    )


class ExportHarParams(ToolParams):
    filePath: str = Field(description="The file to write; .har is added.")
    includeBodies: bool = Field(default=False, description="With the bodies of requests and responses.")
    currentPageOnly: bool = Field(default=False, description="Leave out the navigations before the current one.")


@define_page_tool(
    name="export_har",
    title="Export HAR",
    category="network",
    description="Writes the requests that are kept of the page to a HAR 1.2 file, which other tools open.",
    read_only=False,
    params=ExportHarParams,
    lock="read",
    needs_answer=False,
    verify_files={"filePath": FileUse("write", ".har")},
)
async def export_har(request: PageToolRequest[ExportHarParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    response.export_har(request.paths["filePath"], bodies=params.includeBodies, preserved=not params.currentPageOnly)


class AddRequestRuleParams(ToolParams):
    urlPattern: str = Field(description="URLs that contain this; * stands for anything.")
    action: RuleAction = Field(description="fulfill: answer it; delay: only hold it up; rewrite: send it changed.")
    method: str | None = Field(default=None, description="Only this method.")
    status: int = Field(default=200, ge=100, le=599, description="Of the answer.")
    headers: str | None = Field(default=None, description="JSON object: of the answer, or for the rewritten request.")
    body: str | None = Field(default=None, description="Of the answer, or of the rewritten request.")
    errorReason: FailReason = Field(default="Failed", description="With fail.")
    rewriteUrl: str | None = Field(default=None, description="Send it here; the page does not notice.")
    delayMs: int = Field(default=0, ge=0, le=60_000, description="Hold it up, with any action.")
    times: int | None = Field(default=None, gt=0, description="Use the rule so often at most.")


@define_page_tool(
    name="add_request_rule",
    title="Add request rule",
    category="network",
    description="Answers, fails, delays or rewrites requests of the page, its frames and workers, documents too. "
    "The first matching rule decides; rules stay until cleared, and every reply lists them.",
    read_only=False,
    params=AddRequestRuleParams,
    needs_answer=False,
)
async def add_request_rule(
    request: PageToolRequest[AddRequestRuleParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    if params.action == "fulfill" and not context.options.javascript_evaluation:
        raise ToolDisabled(
            "Answers can hold scripts, and pagelens was started with --no-javascript-evaluation.",
            "fail, delay and rewrite are possible.",
        )
    if params.action == "delay" and not params.delayMs:
        raise InvalidInput("A delay needs delayMs.", "Give the milliseconds that requests shall be held up.")
    rewrites = params.action == "rewrite"
    body = None if params.body is None else without_surrogates(params.body).encode()
    rule = RequestRule(
        url=params.urlPattern,
        action=params.action,
        method=params.method or "",
        status=params.status,
        headers=_headers(params.headers),
        body=body or b"",
        reason=params.errorReason,
        to_url=params.rewriteUrl if rewrites else None,
        to_body=body if rewrites else None,
        delay=params.delayMs / 1000,
        times=params.times,
    )
    number = await request.page.add_request_rule(rule)
    response.append_line(f"Rule {number} is in force; clear_request_rules ruleId={number} ends it.")


class ClearRequestRulesParams(ToolParams):
    ruleId: int | None = Field(default=None, gt=0, description="Default: all of them.")


@define_page_tool(
    name="clear_request_rules",
    title="Clear request rules",
    category="network",
    description="Takes request rules of the page away.",
    read_only=False,
    params=ClearRequestRulesParams,
    needs_answer=False,
)
async def clear_request_rules(
    request: PageToolRequest[ClearRequestRulesParams], response: McpResponse, context: McpContext
) -> None:
    count = await request.page.clear_request_rules(request.params.ruleId)
    response.append_line(f"{count} request {'rule' if count == 1 else 'rules'} cleared.")


def _headers(text: str | None) -> dict[str, str | None]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(value is None or isinstance(value, str) for value in found.values()):
        raise InvalidInput(
            "headers is no JSON object with texts as values.", 'Give {"Content-Type": "application/json"}.'
        )
    return {without_surrogates(name): value and without_surrogates(value) for name, value in found.items()}
