/** The sections of analyzer/page/section.def: the names of each coding, with blanks between them. The script that puts the viewer together writes it. */
declare const SECTIONS: Record<string, string>;
