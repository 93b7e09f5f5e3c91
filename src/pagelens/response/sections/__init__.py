"""The blocks of a reply, in the order in which every reply presents them.

A new kind of output is one new file beside this one and one line here.
"""

from __future__ import annotations

from pagelens.response.section import Section
from pagelens.response.sections.console_detail import ConsoleDetailSection
from pagelens.response.sections.console_list import ConsoleListSection
from pagelens.response.sections.dialog import DialogSection
from pagelens.response.sections.effect import EffectSection
from pagelens.response.sections.emulation import EmulationSection
from pagelens.response.sections.error import ErrorSection
from pagelens.response.sections.form import FormSection
from pagelens.response.sections.har import HarSection
from pagelens.response.sections.heap import HeapSection
from pagelens.response.sections.images import ImagesSection
from pagelens.response.sections.lines import LinesSection
from pagelens.response.sections.navigation import NavigationSection
from pagelens.response.sections.network_detail import NetworkDetailSection
from pagelens.response.sections.network_list import NetworkListSection
from pagelens.response.sections.notices import NoticesSection
from pagelens.response.sections.outline import OutlineSection
from pagelens.response.sections.page_tools import PageToolsSection
from pagelens.response.sections.pages import PagesSection
from pagelens.response.sections.request_rules import RequestRulesSection
from pagelens.response.sections.result import ResultSection
from pagelens.response.sections.search import SearchSection
from pagelens.response.sections.snapshot import SnapshotSection
from pagelens.response.sections.steps import StepsSection
from pagelens.response.sections.stream_list import StreamListSection
from pagelens.response.sections.third_party_tools import ThirdPartyToolsSection
from pagelens.response.sections.tool_result import ToolResultSection
from pagelens.response.sections.trace import TraceSection
from pagelens.response.sections.wait import WaitSection
from pagelens.response.sections.webmcp_tools import WebMCPToolsSection
from pagelens.response.sections.workers import WorkersSection

__all__ = ["SECTIONS"]

SECTIONS: tuple[type[Section], ...] = (
    NoticesSection,
    LinesSection,
    FormSection,
    StepsSection,
    ResultSection,
    ToolResultSection,
    WaitSection,
    ImagesSection,
    NavigationSection,
    EffectSection,
    EmulationSection,
    RequestRulesSection,
    DialogSection,
    PagesSection,
    WorkersSection,
    TraceSection,
    SnapshotSection,
    OutlineSection,
    SearchSection,
    HeapSection,
    HarSection,
    NetworkDetailSection,
    ConsoleDetailSection,
    ThirdPartyToolsSection,
    WebMCPToolsSection,
    PageToolsSection,
    NetworkListSection,
    StreamListSection,
    ConsoleListSection,
    ErrorSection,
)
