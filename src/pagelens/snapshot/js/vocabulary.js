// The words of the snapshot: which roles and tags there are and how each kind is treated (lib.vocabulary).
//
// Roles are spelled as Chrome's accessibility tree spells them, so that the two can be compared; `printed`
// has the words that a reader sees instead where Chrome's are internal names.
(lib) => {
  const set = (words) => new Set(words.trim().split(/\s+/));
  const vocabulary = (lib.vocabulary = {});

  // ---- tags

  // Never rendered as content. (Inside SVG some of these names mean something else.)
  vocabulary.skippedTags = set(
    "map script style template noscript head title meta link base source track param datalist col colgroup",
  );
  // SVG that is only shown where something refers to it.
  vocabulary.svgDefinitions = set("defs symbol clipPath mask marker pattern linearGradient radialGradient filter script style");
  // Nothing below them is content of the page: replaced elements, and controls with a text of their own.
  vocabulary.leafTags = set("iframe frame input textarea img video audio embed progress meter hr br object");
  // Elements that take part in a line like one big letter.
  vocabulary.replacedTags = set(
    "img svg video audio canvas iframe object embed input select textarea button progress meter",
  );
  // Built-in elements that may carry a shadow root.
  vocabulary.hostTags = set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");
  // Their name can come from an attribute or element of their own kind.
  vocabulary.natively = set(
    "option optgroup button select meter progress output input textarea img area table fieldset audio video iframe",
  );

  vocabulary.roleOfTag = new Map(Object.entries({
    article: "article", aside: "complementary", audio: "Audio", blockquote: "blockquote", button: "button",
    caption: "caption", code: "code", dd: "definition", del: "deletion", s: "deletion", details: "group",
    dfn: "term", dialog: "dialog", dl: "DescriptionList", dt: "term", em: "emphasis", fieldset: "group",
    figcaption: "Figcaption", figure: "figure", h1: "heading", h2: "heading", h3: "heading", h4: "heading",
    h5: "heading", h6: "heading", hr: "separator", iframe: "Iframe", frame: "Iframe", img: "image",
    ins: "insertion", label: "LabelText", legend: "Legend", li: "listitem", main: "main", mark: "mark",
    menu: "list", meter: "meter", nav: "navigation", ol: "list", ul: "list", dir: "list", optgroup: "group",
    option: "option", output: "status", p: "paragraph", progress: "progressbar", search: "search", strong: "strong",
    sub: "subscript", sup: "superscript", textarea: "textbox", time: "time", video: "Video", abbr: "Abbr",
    address: "group", hgroup: "group", embed: "EmbeddedObject", object: "PluginObject", math: "MathMLMath",
    ruby: "Ruby", rt: "RubyAnnotation", rp: "RubyAnnotation", canvas: "Canvas", br: "LineBreak", form: "form",
    area: "link", html: "generic", body: "generic",
  }));
  vocabulary.roleOfInputType = new Map(Object.entries({
    button: "button", reset: "button", submit: "button", image: "button", file: "button", checkbox: "checkbox",
    radio: "radio", number: "spinbutton", range: "slider", search: "searchbox", color: "ColorWell", date: "Date",
    time: "InputTime", "datetime-local": "DateTime", month: "DateTime", week: "DateTime",
  }));

  // ---- roles

  // Values of the role attribute that are roles.
  vocabulary.ariaRoles = set(`
    alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
    comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic
    grid gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu menubar
    menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
    radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider
    spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer
    toolbar tooltip tree treegrid treeitem
    doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography
    doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote
    doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref
    doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part
    doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc
    graphics-document graphics-object graphics-symbol`);

  // Named by their content when nothing else names them.
  vocabulary.namedByContent = set(`
    button cell checkbox columnheader doc-backlink doc-biblioref doc-noteref doc-glossref DisclosureTriangle gridcell
    heading LayoutTableCell LineBreak link option math menuitem menuitemcheckbox menuitemradio radio rowheader switch
    tab treeitem tooltip term`);
  // Their content counts when the name of something around them is made.
  vocabulary.contributing = set(`
    generic Abbr Canvas caption code deletion insertion definition DescriptionList Details emphasis Figcaption LabelText
    LayoutTable LayoutTableRow Legend list listitem mark none paragraph region ruby strong subscript superscript time`);
  // A title attribute names none of these.
  vocabulary.neverTitled = set(`
    caption code deletion emphasis generic insertion none paragraph strong subscript superscript mark suggestion time
    definition`);
  vocabulary.controls = set(`
    button checkbox combobox textbox searchbox listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar
    slider spinbutton switch tab ColorWell Date DateTime InputTime MenuListPopup DisclosureTriangle`);
  vocabulary.tableParts = set(`
    table grid treegrid LayoutTable row LayoutTableRow cell gridcell columnheader rowheader LayoutTableCell`);
  vocabulary.tables = set("table grid treegrid LayoutTable");
  // In the tree whatever their attributes.
  vocabulary.alwaysIncluded = set(`
    Abbr application article Audio banner blockquote code complementary deletion contentinfo insertion definition
    DescriptionList Details dialog emphasis Figcaption figure sectionfooter form sectionheader list listitem main mark
    math MathMLMath meter navigation PluginObject progressbar region ruby search separator subscript superscript strong
    term time Video`);

  // ---- what gets a line

  // An agent acts on these.
  vocabulary.actionable = set(`
    button checkbox combobox textbox searchbox listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar
    slider spinbutton switch tab treeitem link ColorWell Date DateTime InputTime DisclosureTriangle gridcell`);
  // They show what they are worth.
  vocabulary.valued = set(`
    textbox searchbox combobox spinbutton slider scrollbar progressbar meter Date DateTime InputTime ColorWell`);
  // A line of their own when there is anything in them.
  vocabulary.areas = set(`
    banner navigation main contentinfo complementary region search dialog alertdialog alert menu menubar tablist
    tabpanel toolbar tree treegrid grid table radiogroup status log feed tooltip application listbox timer marquee`);
  // A line when they have a name.
  vocabulary.areasWhenNamed = set(`
    list group figure document form article blockquote generic definition DescriptionList sectionheader sectionfooter
    note math MathMLMath`);
  // A line even without a name: there is something to see that is no text.
  vocabulary.surfaces = set("Canvas Audio Video PluginObject EmbeddedObject meter progressbar");
  vocabulary.cells = set("cell gridcell columnheader rowheader");

  vocabulary.printed = new Map(Object.entries({
    image: "img", SvgRoot: "img", Iframe: "iframe", DisclosureTriangle: "summary", Audio: "audio", Video: "video",
    Canvas: "canvas", Figcaption: "caption", ColorWell: "color", Date: "date", DateTime: "datetime", InputTime: "time",
    columnheader: "colheader", DescriptionList: "dl", EmbeddedObject: "embed", PluginObject: "object",
    MathMLMath: "math", Abbr: "abbr", LabelText: "label", Legend: "legend", Ruby: "ruby", LayoutTable: "table",
    LayoutTableRow: "row", LayoutTableCell: "cell", Details: "details",
  }));
}
