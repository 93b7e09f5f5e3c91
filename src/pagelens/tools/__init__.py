"""All tools. A new one is one line here."""

from __future__ import annotations

from pagelens.core.options import Options
from pagelens.tools import (
    console,
    emulation,
    forms,
    input,
    memory,
    network,
    pages,
    performance,
    performance_report,
    pointer,
    screenshot,
    script,
    slim,
    snapshot,
    steps,
    third_party,
    waiting,
    webmcp,
)
from pagelens.tools.definition import ToolDefinition, ToolFactory

__all__ = ["ALL_TOOLS", "SLIM_TOOLS", "create_tools"]

ALL_TOOLS: tuple[ToolDefinition | ToolFactory, ...] = (
    pages.list_pages,
    pages.new_page,
    pages.select_page,
    pages.close_page,
    pages.navigate_page,
    pages.handle_dialog,
    waiting.wait_for,
    snapshot.take_snapshot,
    snapshot.get_outline,
    snapshot.search_snapshot,
    screenshot.take_screenshot,
    script.evaluate_script,
    input.click,
    pointer.click_at,
    input.hover,
    input.drag,
    pointer.scroll,
    input.fill,
    forms.fill_form,
    forms.upload_file,
    input.type_text,
    input.press_key,
    steps.run_steps,
    emulation.emulate,
    emulation.resize_page,
    network.list_network_requests,
    network.get_network_request,
    network.list_websocket_messages,
    network.export_har,
    network.add_request_rule,
    network.clear_request_rules,
    console.list_console_messages,
    console.get_console_message,
    performance.performance_start_trace,
    performance.performance_stop_trace,
    performance.performance_analyze_insight,
    performance.performance_query,
    performance_report.save_html_report,
    memory.take_heapsnapshot,
    memory.get_heapsnapshot_summary,
    memory.get_heapsnapshot_details,
    memory.get_heapsnapshot_class_nodes,
    memory.get_heapsnapshot_object_details,
    memory.get_heapsnapshot_retainers,
    memory.get_heapsnapshot_retaining_paths,
    memory.get_heapsnapshot_dominators,
    memory.get_heapsnapshot_edges,
    memory.get_heapsnapshot_duplicate_strings,
    memory.query_heapsnapshot_objects,
    memory.compare_heapsnapshots,
    memory.analyze_heapsnapshot_contexts,
    memory.close_heapsnapshot,
    memory.find_memory_leaks,
    third_party.list_3p_developer_tools,
    third_party.execute_3p_developer_tool,
    webmcp.list_webmcp_tools,
    webmcp.execute_webmcp_tool,
)

#: What there is instead under ``--slim``.
SLIM_TOOLS: tuple[ToolDefinition | ToolFactory, ...] = (slim.navigate, slim.evaluate, slim.screenshot)


def create_tools(options: Options) -> list[ToolDefinition]:
    """Every tool as it is under these options, served or not (see `ToolDefinition.missing_flag`)."""
    tools = SLIM_TOOLS if options.slim else ALL_TOOLS
    return [tool.create(options) if isinstance(tool, ToolFactory) else tool for tool in tools]
