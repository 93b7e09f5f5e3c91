"""What Chrome's reasons for issues mean, and what helps: tables for `pagelens.collectors.issue_texts`.

Names are those of the protocol (``Audits`` domain); a value is what is wrong, and what to do about it.
"""

from __future__ import annotations

__all__ = [
    "BLOCKED_RESPONSES",
    "COOKIE_REASONS",
    "CORS_ERRORS",
    "CSP_VIOLATIONS",
    "DEPRECATIONS",
    "ELEMENT_REASONS",
    "GENERIC_ERRORS",
    "HEAVY_AD_REASONS",
    "INSTALL_REASONS",
    "PERMISSION_ELEMENT",
    "PROPERTY_RULES",
    "UNENCODED_DIGESTS",
    "Reasons",
]

#: By name: what is wrong, as a part of a sentence or a title; what helps, in sentences.
Reasons = dict[str, tuple[str, str]]

_SCHEME = (
    "http and https of one host count as different sites, so its SameSite attribute keeps it out",
    "Serve all of the site over https.",
)

COOKIE_REASONS: Reasons = {
    "ExcludeSameSiteUnspecifiedTreatedAsLax": (
        "it has no SameSite attribute, so it counts as Lax, and the request is cross-site",
        "Set it with SameSite=None; Secure if other sites must send it; else SameSite=Lax says what happens anyway.",
    ),
    "ExcludeSameSiteNoneInsecure": (
        "SameSite=None needs Secure",
        "Set it with Secure as well, over https; or with SameSite=Lax if no other site needs it.",
    ),
    "ExcludeSameSiteLax": (
        "it is SameSite=Lax and the request is cross-site",
        "Set it with SameSite=None; Secure if other sites must send it.",
    ),
    "ExcludeSameSiteStrict": (
        "it is SameSite=Strict and the request, or the navigation that led to it, is cross-site",
        "Set it with SameSite=Lax if it must come along when people follow a link to the site.",
    ),
    "ExcludeDomainNonASCII": (
        "its Domain attribute has characters outside ASCII",
        "Write the domain in its encoded form (xn--…).",
    ),
    "ExcludeThirdPartyPhaseout": (
        "this browser blocks third-party cookies",
        "Set it with Partitioned (a cookie jar for each top-level site), ask through the Storage Access API, "
        "or do without it.",
    ),
    "ExcludePortMismatch": ("it was set from another port of the host", "Set it from the port that needs it."),
    "ExcludeSchemeMismatch": ("it was set over another scheme (http or https)", "Serve all of the site over https."),
    "WarnSameSiteUnspecifiedCrossSiteContext": (
        "it has no SameSite attribute and is used from another site",
        "Say SameSite=None; Secure if that is wanted.",
    ),
    "WarnSameSiteNoneInsecure": ("SameSite=None needs Secure", "Set it with Secure as well, over https."),
    "WarnSameSiteUnspecifiedLaxAllowUnsafe": (
        "it has no SameSite attribute and goes with a cross-site POST only while it is two minutes young",
        "Say SameSite=None; Secure if that is wanted.",
    ),
    "WarnSameSiteStrictLaxDowngradeStrict": _SCHEME,
    "WarnSameSiteStrictCrossDowngradeStrict": _SCHEME,
    "WarnSameSiteStrictCrossDowngradeLax": _SCHEME,
    "WarnSameSiteLaxCrossDowngradeStrict": _SCHEME,
    "WarnSameSiteLaxCrossDowngradeLax": _SCHEME,
    "WarnAttributeValueExceedsMaxSize": (
        "an attribute of it is longer than 1,024 characters and is ignored",
        "Shorten the attribute (Path or Domain, most likely).",
    ),
    "WarnDomainNonASCII": (
        "its Domain attribute has characters outside ASCII",
        "Write the domain in its encoded form (xn--…).",
    ),
    "WarnThirdPartyPhaseout": (
        "it is a third-party cookie, which browsers block more and more",
        "Prepare for a life without it: Partitioned, the Storage Access API, or other means.",
    ),
    "WarnCrossSiteRedirectDowngradeChangesInclusion": (
        "a redirect through another site makes the request cross-site for its SameSite attribute",
        "Redirect within the site, or set it with SameSite=None; Secure.",
    ),
    "WarnDeprecationTrialMetadata": (
        "it is a third-party cookie that only an exception for its site still lets through",
        "Prepare for the end of the exception.",
    ),
    "WarnThirdPartyCookieHeuristic": (
        "it is a third-party cookie that is let through for a while because the user has dealt with its site",
        "Ask through the Storage Access API, which lasts.",
    ),
}

_ORIGIN_HEADER = "Let the server answer with Access-Control-Allow-Origin: the page's origin."

CORS_ERRORS: Reasons = {
    "DisallowedByMode": (
        "the page forbade itself cross-origin requests (mode: 'same-origin')",
        "Ask for it with mode 'cors', or from the same origin.",
    ),
    "InvalidResponse": ("the response is no valid one", "See what the server really sends."),
    "WildcardOriginNotAllowed": (
        "Access-Control-Allow-Origin is * while the request carries credentials",
        "Let the server name the page's origin in place of *, or send the request without credentials.",
    ),
    "MissingAllowOriginHeader": ("the response has no Access-Control-Allow-Origin header", _ORIGIN_HEADER),
    "MultipleAllowOriginValues": (
        "Access-Control-Allow-Origin has several values",
        "Let the server send one: two layers of it may both set the header.",
    ),
    "InvalidAllowOriginValue": ("Access-Control-Allow-Origin is no origin and not *", _ORIGIN_HEADER),
    "AllowOriginMismatch": ("Access-Control-Allow-Origin names another origin", _ORIGIN_HEADER),
    "InvalidAllowCredentials": (
        "the request carries credentials and Access-Control-Allow-Credentials is not true",
        "Let the server send Access-Control-Allow-Credentials: true, or send the request without credentials.",
    ),
    "CorsDisabledScheme": (
        "the address has a scheme that can't be asked across origins",
        "Use http or https; data: and blob: only within the origin.",
    ),
    "PreflightInvalidStatus": (
        "the preflight (OPTIONS) was answered with a status outside 200 to 299",
        "Let the server answer OPTIONS for this address, without a login and without an error.",
    ),
    "PreflightDisallowedRedirect": (
        "the preflight (OPTIONS) was redirected",
        "Ask for the final address at once; a trailing slash or http for https is the usual reason.",
    ),
    "PreflightWildcardOriginNotAllowed": (
        "the preflight's Access-Control-Allow-Origin is * while the request carries credentials",
        "Let the server name the page's origin in place of *.",
    ),
    "PreflightMissingAllowOriginHeader": (
        "the preflight's response has no Access-Control-Allow-Origin header",
        "Let the server answer OPTIONS with the same CORS headers as the request itself.",
    ),
    "PreflightMultipleAllowOriginValues": (
        "the preflight's Access-Control-Allow-Origin has several values",
        "Let the server send one.",
    ),
    "PreflightInvalidAllowOriginValue": (
        "the preflight's Access-Control-Allow-Origin is no origin and not *",
        _ORIGIN_HEADER,
    ),
    "PreflightAllowOriginMismatch": (
        "the preflight's Access-Control-Allow-Origin names another origin",
        _ORIGIN_HEADER,
    ),
    "PreflightInvalidAllowCredentials": (
        "the request carries credentials and the preflight's Access-Control-Allow-Credentials is not true",
        "Let the server send Access-Control-Allow-Credentials: true.",
    ),
    "PreflightMissingAllowExternal": (
        "the preflight's response does not allow requests from outside its network",
        "Let the server allow it explicitly.",
    ),
    "PreflightInvalidAllowExternal": (
        "the preflight's permission for requests from outside its network has a wrong value",
        "The value must be true.",
    ),
    "InvalidAllowMethodsPreflightResponse": (
        "Access-Control-Allow-Methods can't be read",
        "Send method names with commas between.",
    ),
    "InvalidAllowHeadersPreflightResponse": (
        "Access-Control-Allow-Headers can't be read",
        "Send header names with commas between.",
    ),
    "MethodDisallowedByPreflightResponse": (
        "the method is not in Access-Control-Allow-Methods",
        "Let the server name it there in its answer to OPTIONS.",
    ),
    "HeaderDisallowedByPreflightResponse": (
        "a request header is not in Access-Control-Allow-Headers",
        "Let the server name it there in its answer to OPTIONS, or leave the header out.",
    ),
    "RedirectContainsCredentials": (
        "a redirect leads to an address with a user name in it",
        "Redirect to an address without user name and password.",
    ),
    "InsecureLocalNetwork": (
        "a page that is not secure asks for something in the local network",
        "Serve the page over https.",
    ),
    "InvalidLocalNetworkAccess": (
        "the response comes from another address space than the request named",
        "Name the right targetAddressSpace, or none.",
    ),
    "NoCorsRedirectModeNotFollow": (
        "a no-cors request can't refuse redirects",
        "Use redirect: 'follow', or mode 'cors'.",
    ),
    "LocalNetworkAccessPermissionDenied": (
        "the page may not ask for things in the local network",
        "The user must grant the permission for the local network.",
    ),
}

CSP_VIOLATIONS: Reasons = {
    "kInlineViolation": (
        "an inline script, style or handler",
        "Move it to a file, or allow it with a nonce or its hash; 'unsafe-inline' takes away most of the protection.",
    ),
    "kEvalViolation": (
        "a string run as JavaScript (eval, new Function, setTimeout with a string)",
        "Do without it; 'unsafe-eval' takes away a good part of the protection.",
    ),
    "kURLViolation": (
        "an address that its policy does not list",
        "Add the address's origin to the directive if it is wanted.",
    ),
    "kSRIViolation": ("something without the integrity that the policy demands", "Give the element an integrity."),
    "kTrustedTypesSinkViolation": (
        "a plain string where the policy demands a Trusted Type",
        "Pass it through a Trusted Types policy first (createHTML, createScript, createScriptURL).",
    ),
    "kTrustedTypesPolicyViolation": (
        "a Trusted Types policy of a name that the policy does not list",
        "Add the name to the trusted-types directive, or use a listed one.",
    ),
    "kWasmEvalViolation": ("WebAssembly made from bytes", "Add 'wasm-unsafe-eval' to script-src if it is wanted."),
}

BLOCKED_RESPONSES: Reasons = {
    "CoepFrameResourceNeedsCoepHeader": (
        "a frame's document has no Cross-Origin-Embedder-Policy while the page demands one",
        "Send Cross-Origin-Embedder-Policy: require-corp (or credentialless) with the frame's document.",
    ),
    "CoopSandboxedIFrameCannotNavigateToCoopPage": (
        "a sandboxed frame can't show a document with Cross-Origin-Opener-Policy",
        "Open it in a window of its own, or take the header off.",
    ),
    "CorpNotSameOrigin": (
        "its Cross-Origin-Resource-Policy allows its own origin only",
        "Send Cross-Origin-Resource-Policy: cross-origin (or same-site) with it.",
    ),
    "CorpNotSameOriginAfterDefaultedToSameOriginByCoep": (
        "the page's Cross-Origin-Embedder-Policy demands a Cross-Origin-Resource-Policy, and it has none",
        "Send Cross-Origin-Resource-Policy: cross-origin with it, or load it with CORS (crossorigin).",
    ),
    "CorpNotSameOriginAfterDefaultedToSameOriginByDip": (
        "the page's Document-Isolation-Policy demands a Cross-Origin-Resource-Policy, and it has none",
        "Send Cross-Origin-Resource-Policy: cross-origin with it, or load it with CORS (crossorigin).",
    ),
    "CorpNotSameOriginAfterDefaultedToSameOriginByCoepAndDip": (
        "the page's isolation policies demand a Cross-Origin-Resource-Policy, and it has none",
        "Send Cross-Origin-Resource-Policy: cross-origin with it, or load it with CORS (crossorigin).",
    ),
    "CorpNotSameSite": (
        "its Cross-Origin-Resource-Policy allows its own site only",
        "Send Cross-Origin-Resource-Policy: cross-origin with it.",
    ),
    "SRIMessageSignatureMismatch": (
        "it is not signed with the key that the element's integrity names",
        "Correct the signature or the integrity attribute.",
    ),
}

HEAVY_AD_REASONS: Reasons = {
    "NetworkTotalLimit": ("it loaded more than 4 MB", "Load less before the user touches it."),
    "CpuTotalLimit": ("it used the processor for more than 60 seconds", "Do less before the user touches it."),
    "CpuPeakLimit": (
        "it used the processor for more than 15 of 30 seconds",
        "Do less at a time before the user touches it.",
    ),
}

GENERIC_ERRORS: Reasons = {
    "FormLabelForNameError": (
        "A label's for holds a name, not an id",
        "Its field is not found: let for repeat the field's id.",
    ),
    "FormDuplicateIdForInputError": (
        "Several form fields share one id",
        "Labels and scripts reach the first only, and autofill may go wrong: give each its own id.",
    ),
    "FormInputWithNoLabelError": (
        "A form field has no label",
        "Screen readers have nothing to say: add a label element or an aria-label.",
    ),
    "FormAutocompleteAttributeEmptyError": (
        "A form field has an empty autocomplete attribute",
        "Autofill gets no hint: give it a value (email, street-address…) or take it away.",
    ),
    "FormEmptyIdAndNameAttributesForInputError": (
        "A form field has neither id nor name",
        "Autofill may not fill it in, and it is not sent with its form: give it one.",
    ),
    "FormAriaLabelledByToNonExistingIdError": (
        "An aria-labelledby names no element",
        "The field has no accessible name: let it name an id that is there.",
    ),
    "FormInputAssignedAutocompleteValueToIdOrNameAttributeError": (
        "A form field has a value of autocomplete as its id or name, and no autocomplete",
        "Autofill is told more reliably by the autocomplete attribute.",
    ),
    "FormLabelHasNeitherForNorNestedInputError": (
        "A label belongs to no form field",
        "Give it a for attribute with a field's id, or put the field into it.",
    ),
    "FormLabelForMatchesNonExistingIdError": (
        "A label's for names an id that no form field has",
        "Clicks on it and screen readers find no field: let for repeat the field's id.",
    ),
    "FormInputHasWrongButWellIntendedAutocompleteValueError": (
        "A form field has an autocomplete value that is none",
        "Autofill does not know it: see the list of values that it does know.",
    ),
    "ResponseWasBlockedByORB": (
        "A response was kept from the page (opaque response blocking)",
        "Another origin answered with something that can't be what was asked for, such as HTML for an image or script; "
        "its content type, or the address, is wrong.",
    ),
    "NavigationEntryMarkedSkippable": (
        "The back button passes over this page",
        "It added an entry to the history without the user having done anything in it.",
    ),
    "BackUINavigationWouldSkipAd": (
        "The back button passes over an entry that an advertisement added",
        "Entries that nobody asked for are skipped.",
    ),
    "AutofillAndManualTextPolicyControlledFeaturesInfo": (
        "The permissions policy keeps autofill and typed text away from a frame",
        "Name autofill and manual-text in the frame's allow attribute if it shall take them.",
    ),
    "AutofillPolicyControlledFeatureInfo": (
        "The permissions policy keeps autofill away from a frame",
        "Name autofill in the frame's allow attribute if it shall take it.",
    ),
    "ManualTextPolicyControlledFeatureInfo": (
        "The permissions policy keeps typed text away from a frame",
        "Name manual-text in the frame's allow attribute if it shall take it.",
    ),
    "FormModelContextParameterMissingTitleAndDescription": (
        "A field of a form that is a tool for agents has neither title nor description",
        "Agents can't tell what it is for: describe it.",
    ),
    "FormModelContextMissingToolName": (
        "A form that is a tool for agents has no name",
        "It is not offered as a tool: give it a toolname.",
    ),
    "FormModelContextMissingToolDescription": (
        "A form that is a tool for agents has no description",
        "Agents can't tell what it does: give it a tooldescription.",
    ),
    "FormModelContextRequiredParameterMissingName": (
        "A required field of a form that is a tool for agents has no name",
        "Agents can't fill it in, so the tool can't be used: give it a name.",
    ),
    "FormModelContextParameterMissingName": (
        "A field of a form that is a tool for agents has no name",
        "Agents can't fill it in: give it a name.",
    ),
}

DEPRECATIONS: Reasons = {
    "XMLHttpRequestSynchronousInNonWorkerOutsideBeforeUnload": (
        "synchronous XMLHttpRequest",
        "It holds the whole page until the server has answered: use fetch, or an asynchronous request.",
    ),
    "UnloadHandler": ("unload handlers", "They keep pages out of the back/forward cache: use pagehide."),
    "MutationEvents": ("mutation events", "Use a MutationObserver."),
    "H1UserAgentFontSizeInSection": (
        "h1 inside article, aside, nav or section without a font size of its own",
        "The smaller default size goes away: set font-size and margins.",
    ),
    "DocumentDomainSettingWithoutOriginAgentClusterHeader": (
        "setting document.domain",
        "Use postMessage between the documents, or send Origin-Agent-Cluster: ?0.",
    ),
    "NotificationPermissionRequestedIframe": (
        "asking for notifications from a cross-origin frame",
        "Ask from the top-level page.",
    ),
    "GeolocationInsecureOrigin": ("geolocation without https", "Serve the page over https."),
    "GetUserMediaInsecureOrigin": ("camera and microphone without https", "Serve the page over https."),
    "ObsoleteWebRtcCipherSuite": ("an old encryption in WebRTC (D)TLS", "Let the other side offer a newer one."),
    "RTCPeerConnectionSdpSemanticsPlanB": ("the Plan B dialect of SDP in WebRTC", "Use Unified Plan."),
    "WebSQL": ("Web SQL databases", "Use IndexedDB, or SQLite compiled to WebAssembly."),
    "CSSSelectorInternalMediaControlsOverlayCastButton": (
        "styling Chrome's own media controls",
        "Use the disableRemotePlayback attribute.",
    ),
    "PrefixedVideoSupportsFullscreen": ("prefixed fullscreen methods of videos", "Use requestFullscreen."),
    "ThirdPartyCookieAccessWarning": ("third-party cookies", "Prepare for a life without them."),
}

ELEMENT_REASONS: Reasons = {
    "DisallowedSelectChild": (
        "Something that does not belong there is inside a select",
        "Keep to option, optgroup, hr.",
    ),
    "DisallowedOptGroupChild": ("Something that does not belong there is inside an optgroup", "Keep to option."),
    "NonPhrasingContentOptionChild": (
        "Something other than plain text content is inside an option",
        "Use text and inline elements only.",
    ),
    "InteractiveContentOptionChild": (
        "Something to click is inside an option",
        "Keyboards and screen readers can't reach it there: take it out.",
    ),
    "InteractiveContentLegendChild": (
        "Something to click is inside the legend of an optgroup",
        "Keyboards and screen readers can't reach it there: take it out.",
    ),
    "InteractiveContentSummaryDescendant": (
        "Something to click is inside a summary",
        "It gets in the way of opening the details: take it out of the summary.",
    ),
}

PROPERTY_RULES: Reasons = {
    "InvalidSyntax": ("its syntax is missing or no syntax", 'Write syntax as a string, e.g. "<length>" or "*".'),
    "InvalidInitialValue": (
        "its initial-value is missing or does not fit its syntax",
        "Give a value that stands on its own (no em, no var()).",
    ),
    "InvalidInherits": ("its inherits is missing or neither true nor false", "Say true or false."),
    "InvalidName": ("its name does not start with two hyphens", "Name it --something."),
}

UNENCODED_DIGESTS: Reasons = {
    "MalformedDictionary": ("the header is no dictionary", "Write sha-256=:…:, with commas between several."),
    "UnknownAlgorithm": ("it names an algorithm that is not known", "Use sha-256 or sha-512."),
    "IncorrectDigestType": ("a digest is no byte sequence", "Write it in base64 between colons."),
    "IncorrectDigestLength": ("a digest has the wrong length for its algorithm", "Compute it again."),
}

PERMISSION_ELEMENT: Reasons = {
    "InvalidType": ("its type is none", "Use camera, microphone or geolocation."),
    "FencedFrameDisallowed": ("it does not work in a fenced frame", "Put it in the page itself."),
    "CspFrameAncestorsMissing": (
        "the frame's document lets anybody embed it",
        "Send a Content-Security-Policy with frame-ancestors.",
    ),
    "PermissionsPolicyBlocked": (
        "the permissions policy does not allow what it asks for",
        "Name the permission in the frame's allow attribute.",
    ),
    "LowContrast": ("its text can hardly be read", "Give text and background a contrast of at least 3 to 1."),
    "FontSizeTooSmall": ("its text is too small", "Make it at least as large as the text around it."),
    "FontSizeTooLarge": ("its text is too large", "Make it smaller."),
    "NonOpaqueColor": ("its colours are transparent", "Use opaque colours."),
    "UntrustedEvent": ("a script clicked it", "Only the user can."),
    "NonSecureContext": ("the page is not secure", "Serve it over https."),
}

INSTALL_REASONS: Reasons = {
    "ManifestParsingOrNetworkError": ("its manifest can't be loaded or read", "Serve it as valid JSON."),
    "StartUrlInvalid": ("its start_url is none of its own origin", "Name an address of the same origin."),
    "ManifestMissingNameOrShortName": ("its manifest has neither name nor short_name", "Add one."),
    "ManifestMissingId": ("its manifest has no id", "Add one."),
    "NoManifest": ("it has no manifest", 'Link one: <link rel="manifest" href="…">.'),
}
