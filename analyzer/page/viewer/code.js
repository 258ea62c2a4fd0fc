// code.js: source and instructions of the hottest functions, with their figures beside the lines.

import { cellText } from "./documents.js";
import { copyCommand } from "./command.js";
import { choose, state } from "./state.js";
import { safe } from "./text.js";
import { heading, make, select } from "./widget.js";

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showCode(parent, report) {
	const listings = report.data.documents.filter((each) => each.group === "code");
	const names = [...new Set(listings.map((each) => each.function || ""))];
	if (names.length === 0) {
		parent.append(heading("Source and instructions"), make("p", {class: "none"}, "Neither source nor load objects of the hottest functions were found when this page was written."));
		return;
	}
	const name = names.includes(state.focus) ? state.focus : names[0];
	parent.append(heading("Source and instructions", select("of", names.map((each) => [each, safe(each)]), name, (focus) => choose({focus}))));
	if (state.focus && name !== state.focus)
		parent.append(make("p", {class: "note"}, `Of ${safe(state.focus)} there is no listing on this page: only of the hottest functions.`));
	if (parent.dataset.range) parent.append(make("p", {class: "note"}, "Figures are of the whole recording. Copy the command to print them for what is chosen."));
	const box = make("div", {class: "listings"});
	for (const each of listings.filter((listing) => listing.function === name)) box.append(listingOf(report, each));
	parent.append(box);
	// What is hot is seen at once.
	for (const scroll of box.querySelectorAll(".scroll")) scroll.scrollTop = (/** @type {HTMLElement|null} */ (scroll.querySelector(".hot"))?.offsetTop || 0) - 99;
}

/**
 * @param {import("./report.js").Report} report
 * @param {import("./data.js").Shown} shown
 */
function listingOf(report, shown) {
	const words = [shown.command, shown.function || "", ...(shown.number ? [String(shown.number)] : [])];
	const section = make("section", {class: "listing"}, heading(shown.title, copyCommand(report, words)));
	const facts = shown.document.notes, {lines} = shown;
	section.append(make("p", {class: "soft facts"}, facts.slice(0, 4).map(safe).join("  ·  ")));
	if (lines) section.append(make("p", {class: "note"}, `Of ${lines} lines, those around the greatest values are on this page; the command prints all.`));
	for (const table of shown.document.tables) if (table.rows.length) section.append(listingTable(table, `${shown.title} of ${shown.function} in ${shown.object}`));
	return section;
}

/**
 * A table whose columns of numbers without any value are left out.
 * @param {import("./data.js").DocumentTable} table
 * @param {string} caption
 */
function listingTable(table, caption) {
	const columns = table.columns.map((column, at) => ({column, at}));
	const isMetric = (/** @type {string} */ key) => /^[eia][.%]/.test(key);
	const numbers = columns.filter(({column, at}) => /^[eia]\.[^.]+$/.test(column.key) && table.rows.some((row) => row[at]));
	const texts = columns.filter(({column, at}) => !isMetric(column.key) && !["kind", "hot", "is_hot"].includes(column.key) && table.rows.some((row) => row[at] !== null && row[at] !== ""));
	const kind = columns.find(({column}) => column.key === "kind")?.at ?? -1, hot = columns.find(({column}) => column.key === "hot" || column.key === "is_hot")?.at ?? -1;
	const most = numbers.map(({at}) => table.rows.reduce((sum, row) => Math.max(sum, row[at] || 0), 0));
	const body = make("tbody");
	for (const row of table.rows) {
		const line = make("tr", {class: (hot >= 0 && row[hot] ? "hot " : "") + (kind >= 0 && row[kind] !== "line" && row[kind] !== "instruction" ? "comment" : "")});
		numbers.forEach(({column, at}, i) => {
			const cell = make("td", {class: "number"}, row[at] ? cellText(column, row[at]) : "");
			if (row[at] && most[i]) {
				cell.classList.add("bar");
				cell.style.setProperty("--share", ((100 * row[at]) / most[i]).toFixed(1) + "%");
			}
			line.append(cell);
		});
		for (const {column, at} of texts) line.append(make("td", {class: column.kind === "number" ? "number soft" : column.key === "text" ? "mono rest" : "mono"}, make("bdi", {}, safe(cellText(column, row[at])))));
		body.append(line);
	}
	const head = make("tr", {}, ...[...numbers, ...texts].map(({column}) => make("th", {scope: "col", class: column.kind === "number" ? "number" : ""}, safe(column.heading.replace(/\n/g, " ").replace("Exclusive", "Excl.").replace("Inclusive", "Incl.")))));
	return make("div", {class: "scroll", tabIndex: 0, role: "region", "aria-label": safe(caption)}, make("table", {class: "lines"}, make("caption", {class: "unseen"}, safe(caption)), make("thead", {}, head), body));
}
