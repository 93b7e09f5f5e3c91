"""What the arguments of the events that we read look like; an event whose arguments are otherwise is left out.

Types are checked here, once: a damaged trace can't bring a text to where a number is computed with.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, field

__all__ = [
    "NEEDED",
    "AnimationArgs",
    "CallArgs",
    "CharsetArgs",
    "CommitArgs",
    "CompositorArgs",
    "ConnectArgs",
    "DomArgs",
    "FontArgs",
    "FrameArgs",
    "FrameData",
    "ImageArgs",
    "InputArgs",
    "LargestImageArgs",
    "LayoutArgs",
    "NameArgs",
    "NavigationArgs",
    "PaintArgs",
    "PaintData",
    "ProfileArgs",
    "RequestArgs",
    "RequestData",
    "ScreenArgs",
    "ScreenshotArgs",
    "ScriptArgs",
    "SelectorArgs",
    "ShiftArgs",
    "StartedArgs",
    "StyleArgs",
    "Timing",
    "UnsizedArgs",
    "ViewportArgs",
]

#: A number that can be computed with: no text in a damaged file makes a sum overflow.
Number = Annotated[float, Meta(ge=-1e15, le=1e15)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]


class FrameData(Struct):
    frame: str = ""
    url: str = ""
    processId: Whole | None = None
    isInPrimaryMainFrame: bool = False
    isOutermostMainFrame: bool = False


class StartedData(Struct):
    frames: list[FrameData] = field(default_factory=list)


class StartedArgs(Struct):
    data: StartedData


class CommitArgs(Struct):
    """A frame's document was committed."""

    data: FrameData | None = None


class NameArgs(Struct):
    name: str = ""


class NavigationData(Struct):
    navigationId: str = ""
    documentLoaderURL: str = ""


class NavigationArgs(Struct):
    frame: str
    data: NavigationData


class SameDocumentArgs(Struct):
    url: str = ""
    render_frame_host: Any = None


class FrameArgs(Struct):
    """An event of a frame that says no more."""

    frame: str = ""


class PaintData(Struct):
    navigationId: str = ""
    candidateIndex: Whole = 0
    nodeId: Whole = 0
    nodeName: str = ""
    type: str = ""
    size: Number = 0
    loadingAttr: str = ""


class PaintArgs(Struct):
    frame: str = ""
    data: PaintData = field(default_factory=PaintData)


class LargestImageData(Struct):
    DOMNodeId: Whole = 0
    imageUrl: str = ""


class LargestImageArgs(Struct):
    data: LargestImageData | None = None


class ImpactedNode(Struct):
    node_id: Whole = 0
    debug_name: str = ""


class ShiftData(Struct):
    had_recent_input: bool = False
    weighted_score_delta: Number = 0
    score: Number = 0
    impacted_nodes: list[ImpactedNode] = field(default_factory=list)


class ShiftArgs(Struct):
    data: ShiftData
    frame: str = ""


class InputData(Struct):
    type: str = ""
    interactionId: Whole = 0
    duration: Number = 0
    timeStamp: Number = 0
    processingStart: Number = 0
    processingEnd: Number = 0
    nodeId: Whole = 0
    frame: str = ""


class InputArgs(Struct):
    data: InputData | None = None
    frame: str = ""


class CallFrame(Struct):
    url: str = ""
    functionName: str = ""
    lineNumber: Whole = -1
    columnNumber: Whole = -1


class Initiator(Struct):
    type: str = ""
    url: str = ""


class Header(Struct):
    name: str
    value: str


class Timing(Struct):
    requestTime: Number
    sendStart: Number = 0
    sendEnd: Number = 0
    receiveHeadersEnd: Number = 0
    receiveHeadersStart: Number | None = None
    dnsStart: Number = -1
    dnsEnd: Number = -1
    connectStart: Number = -1
    connectEnd: Number = -1
    sslStart: Number = -1
    sslEnd: Number = -1


class RequestData(Struct):
    """All that the events of a request say, each a part of it."""

    requestId: str
    url: str = ""
    frame: str = ""
    priority: str = ""
    resourceType: str = ""
    renderBlocking: str = ""
    requestMethod: str = ""
    fetchPriorityHint: str = "auto"
    isLinkPreload: bool = False
    initiator: Initiator | None = None
    stackTrace: list[CallFrame] | None = None
    statusCode: Number = 0
    mimeType: str = ""
    protocol: str = "unknown"
    fromCache: bool = False
    fromServiceWorker: bool = False
    connectionReused: bool = False
    timing: Timing | None = None
    headers: list[Header] | None = None
    finishTime: Number | None = None
    encodedDataLength: Number = 0
    decodedBodyLength: Number = 0
    didFail: bool = False


class RequestArgs(Struct):
    data: RequestData


class CharsetData(Struct):
    frame: str = ""
    disposition: str = ""


class CharsetArgs(Struct):
    data: CharsetData | None = None


class MostChildren(Struct):
    numChildren: Whole = 0
    nodeName: str = ""
    nodeId: Whole = 0


class Deepest(Struct):
    depth: Whole = 0
    nodeName: str = ""
    nodeId: Whole = 0


class DomData(Struct):
    frame: str = ""
    totalElements: Whole = 0
    maxChildren: MostChildren | None = None
    maxDepth: Deepest | None = None


class DomArgs(Struct):
    data: DomData


class ImageData(Struct):
    frame: str = ""
    url: str = ""
    nodeId: Whole = 0
    nodeName: str = ""
    width: Number = 0
    height: Number = 0
    srcWidth: Number = 0
    srcHeight: Number = 0
    isCSS: bool = False
    isPicture: bool = False
    srcsetAttribute: str = ""


class ImageArgs(Struct):
    data: ImageData


class UnsizedData(Struct):
    nodeId: Whole = 0


class UnsizedArgs(Struct):
    data: UnsizedData


class FontArgs(Struct):
    url: str = ""
    display: str = ""
    id: Whole = 0
    name: str = ""


class ViewportData(Struct):
    frame: str = ""
    content: str = ""


class ViewportArgs(Struct):
    data: ViewportData


class ScreenData(Struct):
    dpr: Number | None = None


class ScreenArgs(Struct):
    """What the page takes its window to be."""

    data: ScreenData = field(default_factory=ScreenData)


class ScreenshotArgs(Struct):
    """A picture of the page: a JPEG in base64."""

    snapshot: str = ""


class CompositorArgs(Struct):
    frame: str = ""
    is_mobile_optimized: bool = False


class LayoutBegin(Struct):
    dirtyObjects: Whole = 0
    totalObjects: Whole = 0


class LayoutArgs(Struct):
    beginData: LayoutBegin | None = None


class StyleArgs(Struct):
    elementCount: Whole = 0


class CallArgs(Struct):
    data: CallFrame | None = None


class AnimationData(Struct):
    displayName: str = ""
    name: str = ""
    nodeId: Whole = 0
    compositeFailed: Whole = 0
    unsupportedProperties: list[str] = field(default_factory=list)


class AnimationArgs(Struct):
    data: AnimationData | None = None


class ConnectData(Struct):
    frame: str = ""
    url: str = ""


class ConnectArgs(Struct):
    data: ConnectData


class ScriptData(Struct):
    scriptId: Whole = 0
    isolate: str | Whole = ""
    url: str = ""
    sourceText: str = ""
    splitIndex: Whole = 0


class ScriptArgs(Struct):
    data: ScriptData | None = None


class SelectorTiming(Struct):
    selector: str = ""
    style_sheet_id: str = ""
    elapsed: Number = field(default=0, name="elapsed (us)")
    match_attempts: Number = 0
    match_count: Number = 0


class SelectorStats(Struct):
    selector_timings: list[SelectorTiming] = field(default_factory=list)


class SelectorArgs(Struct):
    selector_stats: SelectorStats = field(default_factory=SelectorStats)


class ProfileFrame(Struct):
    functionName: str = ""
    url: str = ""
    lineNumber: Whole = -1
    columnNumber: Whole = -1


class ProfileNode(Struct):
    id: Whole
    callFrame: ProfileFrame = field(default_factory=ProfileFrame)
    parent: Whole = 0


class ProfileSamples(Struct):
    nodes: list[ProfileNode] = field(default_factory=list)
    samples: list[Whole] = field(default_factory=list)


class ProfileData(Struct):
    cpuProfile: ProfileSamples | None = None
    timeDeltas: list[Number] = field(default_factory=list)


class ProfileArgs(Struct):
    data: ProfileData = field(default_factory=ProfileData)


#: The events whose arguments are read; of all others only the time is kept.
NEEDED: dict[str, type[Struct]] = {
    "TracingStartedInBrowser": StartedArgs,
    "FrameCommittedInBrowser": CommitArgs,
    "CommitLoad": CommitArgs,
    "navigationStart": NavigationArgs,
    "RenderFrameHostImpl::DidCommitSameDocumentNavigation": SameDocumentArgs,
    "thread_name": NameArgs,
    "process_name": NameArgs,
    "firstPaint": PaintArgs,
    "firstContentfulPaint": PaintArgs,
    "largestContentfulPaint::Candidate": PaintArgs,
    "LargestImagePaint::Candidate": LargestImageArgs,
    "LayoutShift": ShiftArgs,
    "EventTiming": InputArgs,
    "ResourceWillSendRequest": RequestArgs,
    "ResourceSendRequest": RequestArgs,
    "ResourceReceiveResponse": RequestArgs,
    "ResourceFinish": RequestArgs,
    "ResourceMarkAsCached": RequestArgs,
    "ResourceChangePriority": RequestArgs,
    "PreloadRenderBlockingStatusChange": RequestArgs,
    "MetaCharsetCheck": CharsetArgs,
    "DOMStats": DomArgs,
    "PaintImage": ImageArgs,
    "PrePaint": FrameArgs,
    "LayoutImageUnsized": UnsizedArgs,
    "BeginRemoteFontLoad": FontArgs,
    "RemoteFontLoaded": FontArgs,
    "ParseMetaViewport": ViewportArgs,
    "PaintTimingVisualizer::Viewport": ScreenArgs,
    "Screenshot": ScreenshotArgs,
    "BeginCommitCompositorFrame": CompositorArgs,
    "Layout": LayoutArgs,
    "UpdateLayoutTree": StyleArgs,
    "FunctionCall": CallArgs,
    "EvaluateScript": CallArgs,
    "Animation": AnimationArgs,
    "RenderFrameImpl::createChildFrame": FrameArgs,
    "domLoading": FrameArgs,
    "LinkPreconnect": ConnectArgs,
    "ScriptCatchup": ScriptArgs,
    "LargeScriptCatchup": ScriptArgs,
    "SelectorStats": SelectorArgs,
    "Profile": ProfileArgs,
    "ProfileChunk": ProfileArgs,
}
