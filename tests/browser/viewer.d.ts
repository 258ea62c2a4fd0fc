/** The sections of analyzer/page/section.def: names and codings. The script that puts the viewer together writes it. */
declare const SECTIONS: Record<string, string>;
