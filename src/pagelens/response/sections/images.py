"""Pictures: content blocks after the text, or files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.response.order import ImageOrder, Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["ImagesSection"]


class ImagesSection:
    """One line of text for each picture; the picture itself follows the text block unless it went to a file."""

    key: ClassVar[str] = "image"

    def __init__(self) -> None:
        self._images: list[tuple[ImageOrder, str | None]] = []

    def wanted(self, order: Order) -> bool:
        return bool(order.images)

    async def compute(self, order: Order, context: McpContext) -> None:
        for image in order.images:
            saved = None
            if image.file_path is not None:
                saved = str(await context.write_file(image.file_path, image.data))
            self._images.append((image, saved))

    def render(self, out: Output) -> None:
        described: list[dict[str, Any]] = []
        for image, saved in self._images:
            json: dict[str, Any] = {"caption": image.caption}
            if image.place is not None:
                json["scale"], json["x"], json["y"] = image.place
            if saved is None:
                out.line(f"{image.caption}.")
                out.images.append((image.data, image.mime))
            else:
                out.line(f"{image.caption}, written to {saved} ({_size(len(image.data))}).")
                json["filePath"] = saved
            if image.note:
                out.line(image.note)
                json["note"] = image.note
            described.append(json)
        out.json["images"] = described


def _size(count: int) -> str:
    return f"{count} bytes" if count < 1024 else f"{count / 1024:.0f} KB"
