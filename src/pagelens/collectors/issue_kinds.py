"""What tells Chrome's issues apart, and what each is about.

Details are those of the protocol (``Audits.InspectorIssueDetails``, the one member that is there). They may come from
another version of Chrome, or quote the page: nothing in them is relied upon, and texts made of them are raw.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["Details", "issue_kind", "issue_subject", "list_in", "object_in", "text_in", "words_of"]

#: An issue's details as they came.
Details = dict[str, Any]


def words_of(name: str) -> str:
    """A name of the protocol as words: ``kWellKnownHttpNotFound`` is "well known http not found"."""
    name = re.sub(r"^k(?=[A-Z])", "", name[:200])
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)).lower() or name


def issue_kind(code: str, details: Details) -> str:
    """What tells issues of one code apart that are not the same thing: issues of one kind are shown as one."""
    if code == "CookieIssue":
        reasons = list_in(details, "cookieExclusionReasons") or list_in(details, "cookieWarningReasons")
        return " ".join([text_in(details, "operation"), *reasons])
    if code == "CorsIssue":
        return text_in(object_in(details, "corsErrorStatus"), "corsError")
    fields = _KINDS.get(code)
    if fields is None:
        # A code that we don't know: by whatever looks like the name of a reason.
        return next((v for k, v in details.items() if isinstance(v, str) and k.lower().endswith(_REASON_NAMES)), "")
    return " ".join(str(details[field]) for field in fields if details.get(field) not in (None, ""))


def issue_subject(code: str, details: Details) -> str:
    """What one of the issues is about, in a word or two: a cookie, an address, a name. May be empty."""
    if code == "CookieIssue":
        cookie = object_in(details, "cookie")
        return text_in(cookie, "name") or text_in(details, "rawCookieLine")
    if code == "SharedArrayBufferIssue":
        return ""
    for field in _SUBJECTS.get(code, ()):
        value = details.get(field)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return ", ".join(str(item) for item in value)
    for field in ("request", "failedRequestInfo"):
        if url := text_in(object_in(details, field), "url"):
            return url
    return ""


_REASON_NAMES = ("reason", "type", "error", "status")

#: Members whose values tell the kinds of a code apart.
_KINDS: dict[str, tuple[str, ...]] = {
    "AttributionReportingIssue": ("violationType",),
    "BlockedByResponseIssue": ("reason",),
    "BounceTrackingIssue": (),
    "ClientHintIssue": ("clientHintIssueReason",),
    "ConnectionAllowlistIssue": ("error",),
    "ContentSecurityPolicyIssue": ("contentSecurityPolicyViolationType", "violatedDirective", "isReportOnly"),
    "CookieDeprecationMetadataIssue": ("operation",),
    "DeprecationIssue": ("type",),
    "ElementAccessibilityIssue": ("elementAccessibilityIssueReason",),
    "EmailVerificationRequestIssue": ("emailVerificationRequestIssueReason",),
    "FederatedAuthRequestIssue": ("federatedAuthRequestIssueReason",),
    "FederatedAuthUserInfoRequestIssue": ("federatedAuthUserInfoRequestIssueReason",),
    "GenericIssue": ("errorType",),
    "HeavyAdIssue": ("resolution", "reason"),
    "LazyLoadImageIssue": (),
    "LowTextContrastIssue": (),
    "MixedContentIssue": ("resolutionStatus",),
    "NavigatorUserAgentIssue": (),
    "PartitioningBlobURLIssue": ("partitioningBlobURLInfo",),
    "PerformanceIssue": ("performanceIssueType",),
    "PermissionElementIssue": ("issueType",),
    "PropertyRuleIssue": ("propertyRuleIssueReason",),
    "QuirksModeIssue": ("isLimitedQuirksMode",),
    "SRIMessageSignatureIssue": ("error",),
    "SelectElementAccessibilityIssue": ("selectElementAccessibilityIssueReason",),
    "SelectivePermissionsInterventionIssue": ("apiName",),
    "SharedArrayBufferIssue": ("type", "isWarning"),
    "SharedDictionaryIssue": ("sharedDictionaryError",),
    "StylesheetLoadingIssue": ("styleSheetLoadingIssueReason",),
    "UnencodedDigestIssue": ("error",),
    "UserReidentificationIssue": ("type",),
    "WebInstallIssue": ("reason",),
}

#: Members that name what an issue is about.
_SUBJECTS: dict[str, tuple[str, ...]] = {
    "BounceTrackingIssue": ("trackingSites",),
    "ContentSecurityPolicyIssue": ("blockedURL",),
    "CookieDeprecationMetadataIssue": ("allowedSites",),
    "LazyLoadImageIssue": ("url",),
    "LowTextContrastIssue": ("violatingNodeSelector",),
    "MixedContentIssue": ("insecureURL",),
    "NavigatorUserAgentIssue": ("url",),
    "PartitioningBlobURLIssue": ("url",),
    "PermissionElementIssue": ("permissionName", "type"),
    "PropertyRuleIssue": ("propertyValue",),
    "QuirksModeIssue": ("url",),
    "WebInstallIssue": ("manifestUrl",),
}


def text_in(details: Details, field: str) -> str:
    """A text member, empty when there is none."""
    value = details.get(field)
    return value if isinstance(value, str) else ""


def object_in(details: Details, field: str) -> Details:
    """An object member, empty when there is none."""
    value = details.get(field)
    return value if isinstance(value, dict) else {}


def list_in(details: Details, field: str) -> list[str]:
    """A list of texts, empty when there is none."""
    value = details.get(field)
    return [str(item) for item in value] if isinstance(value, list) else []
