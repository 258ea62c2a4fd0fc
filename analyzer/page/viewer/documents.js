// documents.js: what commands of xer_print print, as tables that can be sorted and filtered.

import { copyCommand } from "./command.js";
import { narrowed, stackTable } from "./narrow.js";
import { brief, group, safe } from "./text.js";
import { tableOf } from "./table.js";
import { heading, make, nameOf } from "./widget.js";

/** The pages made of documents. @type {Record<string, string>} */
export const GROUPS = {memory: "Memory", waits: "Locks and waits", files: "Files and sockets", parallel: "OpenMP and MPI", events: "Events"};

/** What is said of tables of what is chosen. @type {Record<string, string>} */
const NARROW = {
	leaks: "Allocated in what is chosen and never freed; kept blocks are among them.", peak: "Allocated in what is chosen and live at the peak of the whole recording.",
	heapstat: "Of what is chosen. Its peak, what it mapped, its smallest and largest block: copy the command to print them.", iostat: "Of what is chosen. The longest, smallest and largest call: copy the command to print them.",
};

/**
 * A cell as xer_print's text has it, or a little shorter.
 * @param {import("./data.js").DocumentColumn} column
 * @param {any} value
 */
export function cellText(column, value) {
	if (value === null || value === undefined) return "";
	if (typeof value !== "number") return Array.isArray(value) ? value.join(" < ") : String(value);
	if (column.digits !== undefined) return value.toFixed(column.digits);
	if (column.unit === "s") return value.toFixed(Math.abs(value) < 1 && value !== 0 ? 6 : 3);
	if (column.unit === "%") return value.toFixed(2);
	if (column.unit === "bytes" || column.unit === "count") return group(value);
	return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

/**
 * A call stack: the innermost function, and the others when it is opened.
 * @param {string[]} list
 */
function stackOf(list) {
	if (list.length <= 1) return nameOf(list[0] || "");
	return make("details", {}, make("summary", {}, nameOf(list[0])), make("ol", {}, ...list.slice(1).map((name) => make("li", {}, nameOf(name)))));
}

/**
 * @param {import("./data.js").DocumentTable} table
 * @param {string} caption
 */
export function documentTable(table, caption) {
	if (table.rows.length === 1 && table.columns.length > 3 && !table.columns.some((column) => column.kind === "list")) return recordOf(table, caption);
	// Of stacks, metrics that none of them has are left out.
	const isStacks = table.columns.some((column) => column.kind === "list");
	return tableOf({
		caption,
		columns: table.columns.map((column, at) => ({column, at})).filter(({column, at}) => !isStacks || column.kind !== "number" || table.rows.some((row) => row[at])).map(({column, at}) => ({
			key: column.key, heading: column.heading.replace(/\n/g, " "), isNumber: column.kind === "number", wide: column.kind !== "number",
			title: column.unit ? `${column.heading} (${column.unit})` : column.heading,
			value: (row) => (Array.isArray(row[at]) ? row[at][0] : row[at]),
			text: (row) => cellText(column, row[at]),
			node: column.kind === "list" ? (row) => stackOf(row[at] || []) : undefined,
		})),
		rows: table.rows,
	});
}

/**
 * One row, a value a line.
 * @param {import("./data.js").DocumentTable} table
 * @param {string} caption
 */
export function recordOf(table, caption) {
	const list = make("dl", {class: "record", "aria-label": safe(caption)});
	table.columns.forEach((column, at) => {
		const value = table.rows[0][at];
		if (value === null || value === "") return;
		const text = cellText(column, value);
		const unit = column.unit === "s" ? " s" : column.unit === "%" ? " %" : column.unit === "bytes" && value > 1024 ? ` bytes (${brief("bytes", value)})` : "";
		list.append(make("dt", {}, safe(column.heading)), make("dd", {}, nameOf(text), unit));
	});
	return list;
}

/**
 * All documents of a group.
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 * @param {string} name
 */
export function showGroup(parent, report, name) {
	const shown = report.data.documents.filter((each) => each.group === name && isWorth(each));
	const isNarrow = !!parent.dataset.range;
	if (isNarrow && name === "memory") parent.append(liveSection(report));
	for (const each of shown) parent.append(documentOf(report, each, GROUPS[name], isNarrow));
}

/**
 * What was allocated in the range and lives at its end.
 * @param {import("./report.js").Report} report
 */
function liveSection(report) {
	const metrics = ["livecount", "livebytes"], table = stackTable(report, "live", metrics), box = make("section", {class: "document"});
	if (!table?.rows.length) return box;
	box.append(heading("Allocated in what is chosen, and live at its end", copyCommand(report, ["allocs"], "livebytes")), documentTable(table, "Live by call stack"));
	return box;
}

/** @param {import("./data.js").Shown} shown */
export function isWorth(shown) {
	return shown.document.text.length > 0 || shown.document.tables.some((table) => table.rows.length > 0);
}

/**
 * @param {import("./report.js").Report} report
 * @param {import("./data.js").Shown} shown
 */
export function documentOf(report, shown, page = "", isNarrow = false) {
	const {document: made} = shown, some = isNarrow ? narrowed(report, shown) : null;
	const box = make("section", {class: "document"}, heading(shown.title, copyCommand(report, [shown.command])));
	if (isNarrow) box.append(make("p", {class: "note"}, !some ? "This is of the whole recording. Copy the command to print it for what is chosen." : !some.some((table) => table.rows.length) ? "There is nothing in what is chosen." : NARROW[shown.command] || "Of what is chosen."));
	for (const table of some || made.tables) if (table.rows.length) box.append(documentTable(table, `${page} ${shown.title} ${table.name}`));
	if (!some && made.text.length) box.append(make("pre", {tabIndex: 0, role: "region", "aria-label": shown.title}, made.text.map(safe).join("\n")));
	const {notes} = made;
	if (!some && notes.length) box.append(make("ul", {class: "notes"}, ...notes.map((note) => make("li", {}, safe(note)))));
	return box;
}
