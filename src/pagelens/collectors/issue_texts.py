"""What an issue that Chrome found means, in our own words. For details see `pagelens.collectors.issue_kinds`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pagelens.collectors.issue_kinds import Details, issue_kind, list_in, object_in, text_in, words_of
from pagelens.collectors.issue_reasons import (
    BLOCKED_RESPONSES,
    COOKIE_REASONS,
    CORS_ERRORS,
    CSP_VIOLATIONS,
    DEPRECATIONS,
    ELEMENT_REASONS,
    GENERIC_ERRORS,
    HEAVY_AD_REASONS,
    INSTALL_REASONS,
    PERMISSION_ELEMENT,
    PROPERTY_RULES,
    UNENCODED_DIGESTS,
    Reasons,
)

__all__ = ["KNOWN_CODES", "IssueText", "issue_text"]

_MDN = "https://developer.mozilla.org/docs/Web/"
_CHROME = "https://developer.chrome.com/"


@dataclass(frozen=True, slots=True)
class IssueText:
    """What to say of an issue.

    Attributes:
        title: a line without a final stop.
        explanation: what is wrong and what helps, in sentences.
        links: where to read on.
    """

    title: str
    explanation: str
    links: tuple[str, ...] = ()


def issue_text(code: str, details: Details) -> IssueText:
    """The text for an issue of this code."""
    known = _TEXTS.get(code)
    if known is not None:
        return known(details)
    kind = issue_kind(code, details)
    about = words_of(code.removesuffix("Issue"))
    return IssueText(
        f"{about[:1].upper()}{about[1:]}" + (f": {words_of(kind)}" if kind else ""),
        f"Chrome reports an issue of the kind {code}, which pagelens has no text for; its details are as Chrome gives "
        "them.",
    )


def _reason(table: Reasons, name: str) -> tuple[str, str]:
    return table.get(name, (words_of(name), ""))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


# -- the codes -------------------------------------------------------------------------------------------


def _cookie(details: Details) -> IssueText:
    excluded = list_in(details, "cookieExclusionReasons")
    is_set = text_in(details, "operation") == "SetCookie"
    reasons = [_reason(COOKIE_REASONS, name) for name in excluded or list_in(details, "cookieWarningReasons")]
    why = "; ".join(dict.fromkeys(what for what, _ in reasons)) or "Chrome gives no reason"
    if excluded:
        title = f"Cookie not {'stored' if is_set else 'sent'}: {why}"
    else:
        title = f"Cookie {'stored' if is_set else 'sent'}, but may not be for long: {why}"
    helps = " ".join(dict.fromkeys(help_ for _, help_ in reasons if help_))
    return IssueText(title, helps, (_MDN + "HTTP/Reference/Headers/Set-Cookie",))


def _mixed_content(details: Details) -> IssueText:
    what = words_of(text_in(details, "resourceType")) or "resource"
    status = text_in(details, "resolutionStatus")
    titles = {
        "MixedContentBlocked": f"Mixed content blocked: {what} over http in an https page",
        "MixedContentAutomaticallyUpgraded": f"Mixed content: {what} asked for by http was loaded over https",
        "MixedContentWarning": f"Mixed content loaded: {what} over http in an https page",
    }
    return IssueText(
        titles.get(status, f"Mixed content: {what} ({words_of(status)})"),
        "What comes over http can be read and changed on its way. Use https addresses; the directive "
        "upgrade-insecure-requests makes Chrome do so.",
        (_MDN + "Security/Mixed_content",),
    )


def _blocked_response(details: Details) -> IssueText:
    what, helps = _reason(BLOCKED_RESPONSES, text_in(details, "reason"))
    return IssueText(
        f"Response blocked: {what}", helps, (_MDN + "HTTP/Reference/Headers/Cross-Origin-Resource-Policy",)
    )


def _heavy_ad(details: Details) -> IssueText:
    what, helps = _reason(HEAVY_AD_REASONS, text_in(details, "reason"))
    is_warning = text_in(details, "resolution") == "HeavyAdWarning"
    return IssueText(
        f"Heavy advertisement {'would be taken' if is_warning else 'taken'} out of the page: {what}",
        helps,
        (_CHROME + "blog/heavy-ad-interventions",),
    )


def _csp(details: Details) -> IssueText:
    what, helps = _reason(CSP_VIOLATIONS, text_in(details, "contentSecurityPolicyViolationType"))
    directive = text_in(details, "violatedDirective") or "a directive"
    is_report = details.get("isReportOnly") is True
    return IssueText(
        f"Content Security Policy {'would block' if is_report else 'blocked'} {what} ({directive})",
        helps + (" The policy only reports so far." if is_report else ""),
        (_MDN + "HTTP/Guides/CSP",),
    )


def _shared_array_buffer(details: Details) -> IssueText:
    done = "transferred" if text_in(details, "type") == "TransferIssue" else "made"
    is_warning = details.get("isWarning") is True
    return IssueText(
        f"SharedArrayBuffer {'' if is_warning else 'not '}{done} in a page that is not cross-origin isolated",
        "Send Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp with the page.",
        (_MDN + "JavaScript/Reference/Global_Objects/SharedArrayBuffer",),
    )


def _cors(details: Details) -> IssueText:
    status = object_in(details, "corsErrorStatus")
    what, helps = _reason(CORS_ERRORS, text_in(status, "corsError"))
    given = text_in(status, "failedParameter")
    verb = "may fail some day" if details.get("isWarning") is True else "failed"
    return IssueText(
        f"Cross-origin request {verb}: {what}" + (f" ({given})" if given else ""),
        helps,
        (_MDN + "HTTP/Guides/CORS/Errors",),
    )


def _quirks_mode(details: Details) -> IssueText:
    limited = details.get("isLimitedQuirksMode") is True
    return IssueText(
        f"Document in {'limited-quirks' if limited else 'quirks'} mode",
        "It is laid out as browsers did in the nineties. Begin it with <!DOCTYPE html>.",
        (_MDN + "HTML/Guides/Quirks_mode_and_standards_mode",),
    )


def _blob_url(details: Details) -> IssueText:
    if text_in(details, "partitioningBlobURLInfo") == "BlockedCrossPartitionFetching":
        title = "Blob URL of another storage partition not loaded"
    else:
        title = "Window for a blob URL of another storage partition opened without opener"
    return IssueText(
        title,
        "A frame of another top-level site has a storage of its own. Pass the Blob itself, by postMessage.",
        (_MDN + "URI/Reference/Schemes/blob",),
    )


def _user_agent(_: Details) -> IssueText:
    return IssueText(
        "navigator.userAgent, appVersion or platform was read",
        "Chrome says less and less in them. Use client hints (navigator.userAgentData), or detect features.",
        (_MDN + "HTTP/Guides/Browser_detection_using_the_user_agent",),
    )


def _generic(details: Details) -> IssueText:
    kind = text_in(details, "errorType")
    title, helps = GENERIC_ERRORS.get(kind, (_sentence(words_of(kind)).rstrip(".") or "Problem in the page", ""))
    links = {"Form": "HTML/Reference/Elements/label", "Resp": "HTTP/Guides/Cross-Origin_Resource_Policy"}
    if "utocomplete" in kind:
        links["Form"] = "HTML/Reference/Attributes/autocomplete"
    link = links.get(kind[:4])
    return IssueText(title, helps, (_MDN + link,) if link else ())


def _deprecation(details: Details) -> IssueText:
    what, helps = _reason(DEPRECATIONS, text_in(details, "type"))
    return IssueText(
        f"Deprecated: {what}",
        f"It still works and will go. {helps}".rstrip(),
        ("https://chromestatus.com/features#status:%22Deprecated%22",),
    )


def _client_hint(details: Details) -> IssueText:
    if text_in(details, "clientHintIssueReason") == "MetaTagModifiedHTML":
        title, helps = (
            "Client hints asked for by a meta element that a script added are not sent",
            "Put the meta element into the document's own HTML.",
        )
    else:
        title, helps = (
            "Client hints delegated to something that is no origin",
            "In the meta element delegate-ch, name origins, such as https://example.com.",
        )
    return IssueText(title, helps, (_MDN + "HTTP/Guides/Client_hints",))


def _plain(
    title: str, field: str, explanation: str, link: str, table: Reasons | None = None
) -> Callable[[Details], IssueText]:
    """Codes of which the reason's words say it all."""

    def text(details: Details) -> IssueText:
        what, helps = _reason(table or {}, text_in(details, field)) if field else ("", "")
        return IssueText(title + (f": {what}" if what else ""), f"{helps} {explanation}".strip(), (link,))

    return text


def _stylesheet(details: Details) -> IssueText:
    failure = text_in(object_in(details, "failedRequestInfo"), "failureMessage")
    if text_in(details, "styleSheetLoadingIssueReason") == "LateImportRule":
        title, helps = (
            "@import after other rules is passed over",
            "Move it to the top of the style sheet (only @charset and @layer may stand before it).",
        )
    else:
        title, helps = (
            "Style sheet could not be loaded" + (f": {failure}" if failure else ""),
            "See the request that failed.",
        )
    return IssueText(title, helps, (_MDN + "CSS/@import",))


def _shared_dictionary(details: Details) -> IssueText:
    name = text_in(details, "sharedDictionaryError")
    use = name.startswith("Use")
    what = words_of(re.sub(r"^(Use|Write)Error", "", name))
    return IssueText(
        f"Compression dictionary not {'used' if use else 'stored'}: {what}",
        "The response is loaded without it." if use else "Later responses can't be compressed with it.",
        (_MDN + "HTTP/Guides/Compression_dictionary_transport",),
    )


def _element(details: Details) -> IssueText:
    kind = text_in(details, "elementAccessibilityIssueReason") or text_in(
        details, "selectElementAccessibilityIssueReason"
    )
    title, helps = ELEMENT_REASONS.get(kind, (_sentence(words_of(kind)).rstrip(".") or "Element misplaced", ""))
    if details.get("hasDisallowedAttributes") is True:
        helps += " It also has attributes that make it something to click."
    return IssueText(title, helps, (_MDN + "HTML/Reference/Elements/select",))


def _user_reidentification(details: Details) -> IssueText:
    titles = {
        "BlockedFrameNavigation": "Frame not loaded: it may serve to recognise the user",
        "BlockedSubresource": "Resource not loaded: it may serve to recognise the user",
        "NoisedCanvasReadback": "Canvas read with noise: reading it may serve to recognise the user",
    }
    kind = text_in(details, "type")
    return IssueText(
        titles.get(kind, f"Something that may serve to recognise the user: {words_of(kind)}"),
        "Chrome protects users of private windows from fingerprinting this way.",
        ("https://github.com/explainers-by-googlers/script-blocking",),
    )


def _permission_element(details: Details) -> IssueText:
    what, helps = _reason(PERMISSION_ELEMENT, text_in(details, "issueType"))
    name = text_in(details, "permissionName") or text_in(details, "type")
    more = [
        f"It is covered by {text_in(details, 'occluderNodeInfo')}." if details.get("occluderNodeInfo") else "",
        f"Chrome says: {text_in(details, 'disableReason')}." if details.get("disableReason") else "",
    ]
    return IssueText(
        f"Permission element{f' ({name})' if name else ''}: {what}",
        " ".join(part for part in (helps, *more) if part),
        (_CHROME + "blog/permission-element-origin-trial",),
    )


def _performance(details: Details) -> IssueText:
    kind = text_in(details, "performanceIssueType")
    if kind == "DocumentCookie":
        return IssueText(
            "document.cookie is slow: the page waits for the browser's answer",
            "Read cookies seldom, or by cookieStore, which does not hold the page.",
            (_MDN + "API/CookieStore",),
        )
    return IssueText(f"Slow: {words_of(kind)}", "", (_CHROME + "docs/performance",))


def _selective_permissions(details: Details) -> IssueText:
    name = text_in(details, "apiName") or "an API"
    return IssueText(
        f"{name} refused to an advertisement's script",
        "Chrome takes the script, or one that loaded it, for an advertisement, and such may not use the API.",
        ("https://chromestatus.com/roadmap",),
    )


_FEDERATED = _MDN + "API/FedCM_API"

_TEXTS: dict[str, Callable[[Details], IssueText]] = {
    "AttributionReportingIssue": _plain(
        "Attribution of an advertisement not registered",
        "violationType",
        "Attribution Reporting is on its way out of Chrome.",
        _MDN + "API/Attribution_Reporting_API",
    ),
    "BlockedByResponseIssue": _blocked_response,
    "BounceTrackingIssue": _plain(
        "Sites that the page was led through may lose their data",
        "",
        "A site that people are only sent through, without doing anything there, is taken for a tracker.",
        "https://privacycg.github.io/nav-tracking-mitigations/",
    ),
    "ClientHintIssue": _client_hint,
    "ConnectionAllowlistIssue": _plain(
        "Connection allowlist not understood",
        "error",
        "The header or attribute is passed over, or nothing is allowed.",
        "https://github.com/WICG/connection-allowlists",
    ),
    "ContentSecurityPolicyIssue": _csp,
    "CookieDeprecationMetadataIssue": _plain(
        "Third-party cookies used by an exception",
        "operation",
        "The exception ends some day; prepare for it.",
        _MDN + "Privacy/Guides/Third-party_cookies",
    ),
    "CookieIssue": _cookie,
    "CorsIssue": _cors,
    "DeprecationIssue": _deprecation,
    "ElementAccessibilityIssue": _element,
    "EmailVerificationRequestIssue": _plain(
        "E-mail address not verified",
        "emailVerificationRequestIssueReason",
        "The reason is what went wrong between the page, the mail provider's server and its DNS record.",
        "https://github.com/WICG/email-verification",
    ),
    "FederatedAuthRequestIssue": _plain(
        "Sign-in through an identity provider (FedCM) failed",
        "federatedAuthRequestIssueReason",
        "The reason names the step: the provider's well-known file, its configuration, accounts or token.",
        _FEDERATED,
    ),
    "FederatedAuthUserInfoRequestIssue": _plain(
        "User info from an identity provider (FedCM) refused",
        "federatedAuthUserInfoRequestIssueReason",
        "getUserInfo() works in a frame of the provider whose accounts the user has used here before.",
        _FEDERATED,
    ),
    "GenericIssue": _generic,
    "HeavyAdIssue": _heavy_ad,
    "LazyLoadImageIssue": _plain(
        "Image with loading=lazy has no size of its own",
        "",
        "The page jumps when it comes: give it width and height.",
        _MDN + "Performance/Guides/Lazy_loading",
    ),
    "LowTextContrastIssue": _plain(
        "Text with low contrast",
        "",
        "People with weak eyes can't read it: a contrast of at least 4.5 to 1 is wanted (3 to 1 for large text).",
        _MDN + "Accessibility/Guides/Understanding_WCAG/Perceivable/Color_contrast",
    ),
    "MixedContentIssue": _mixed_content,
    "NavigatorUserAgentIssue": _user_agent,
    "PartitioningBlobURLIssue": _blob_url,
    "PerformanceIssue": _performance,
    "PermissionElementIssue": _permission_element,
    "PropertyRuleIssue": _plain(
        "@property rule passed over",
        "propertyRuleIssueReason",
        "The custom property is not registered.",
        _MDN + "CSS/@property",
        PROPERTY_RULES,
    ),
    "QuirksModeIssue": _quirks_mode,
    "SRIMessageSignatureIssue": _plain(
        "Signature of a response not accepted",
        "error",
        "A response whose signature the page demands is not used without it.",
        "https://wicg.github.io/signature-based-sri/",
    ),
    "SelectElementAccessibilityIssue": _element,
    "SelectivePermissionsInterventionIssue": _selective_permissions,
    "SharedArrayBufferIssue": _shared_array_buffer,
    "SharedDictionaryIssue": _shared_dictionary,
    "StylesheetLoadingIssue": _stylesheet,
    "UnencodedDigestIssue": _plain(
        "Unencoded-Digest header not understood",
        "error",
        "The response is not checked against it.",
        "https://www.ietf.org/archive/id/draft-ietf-httpbis-unencoded-digest-00.html",
        UNENCODED_DIGESTS,
    ),
    "UserReidentificationIssue": _user_reidentification,
    "WebInstallIssue": _plain(
        "Web app not installed",
        "reason",
        "The page asked for the installation of an app whose manifest does not allow it.",
        _MDN + "Progressive_web_apps/Manifest",
        INSTALL_REASONS,
    ),
}

#: Codes that there is a text for.
KNOWN_CODES = frozenset(_TEXTS)
