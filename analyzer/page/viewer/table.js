// table.js: tables that can be sorted and filtered, and grow by a button, so that a page never has thousands of rows at once.

import { expression } from "./state.js";
import { safe, valueText } from "./text.js";
import { button, make, nameOf, say } from "./widget.js";

/**
 * @typedef {{key: string, heading: string, title?: string, isNumber: boolean, value: (row: any) => any, text: (row: any) => string,
 *   node?: (row: any) => Node, bar?: (row: any) => number, wide?: boolean}} Column
 * @typedef {{caption: string, columns: Column[], rows: any[], sort?: string, descending?: boolean, filter?: boolean,
 *   open?: (row: any) => void, page?: number, name?: (row: any) => string}} Options
 */

const PAGE = 100;

/**
 * @param {string} key
 * @param {string} heading
 * @param {(row: any) => any} value
 * @param {(row: any) => string} text
 * @param {Partial<Column>} more
 * @returns {Column}
 */
export function numberColumn(key, heading, value, text = (row) => String(value(row)), more = {}) {
	return {key, heading, isNumber: true, value, text, ...more};
}

/**
 * Values of a metric by row.
 * @param {string} key
 * @param {string} heading
 * @param {import("./data.js").Metric} metric
 * @param {Float64Array} values
 * @param {Partial<Column>} more
 */
export function metricColumn(key, heading, metric, values, more = {}) {
	return numberColumn(key, heading, (row) => values[row], (row) => valueText(metric, values[row]), more);
}

/**
 * @param {string} key
 * @param {string} heading
 * @param {(row: any) => string} text
 * @param {Partial<Column>} more
 * @returns {Column}
 */
export function wordColumn(key, heading, text, more = {}) {
	return {key, heading, isNumber: false, value: text, text, ...more};
}

/**
 * @param {Options} options
 * @param {any} row
 */
function rowElement(options, row) {
	const element = make("tr", {}, ...options.columns.map((column) => {
		const bar = column.bar ? column.bar(row) : 0;
		const cell = make("td", {class: column.isNumber ? "number" : column.wide ? (column.key === "name" ? "wide rest" : "wide") : ""},
			column.node ? column.node(row) : column.isNumber ? column.text(row) : nameOf(column.text(row)));
		if (column.isNumber && column.value(row) === 0) cell.classList.add("zero");
		if (bar > 0) {
			cell.classList.add("bar");
			cell.style.setProperty("--share", (100 * Math.min(1, bar)).toFixed(1) + "%");
		}
		return cell;
	}));
	const {open} = options;
	if (!open) return element;
	element.tabIndex = 0;
	element.classList.add("open");
	element.onclick = (event) => {
		if (!(/** @type {HTMLElement} */ (event.target).closest("button,input,a,label"))) open(row);
	};
	element.onkeydown = (event) => {
		if (event.key === "Enter" && event.target === element) open(row);
	};
	return element;
}

/**
 * @param {Options} options
 * @returns {HTMLElement}
 */
export function tableOf(options) {
	const {columns} = options;
	let sort = options.sort, descending = options.descending ?? true, shown = options.page ?? PAGE, pattern = "";
	const body = make("tbody"), more = make("p", {class: "more"}), count = make("span", {class: "soft"});
	const headings = columns.map((column) => {
		const text = button(column.heading, () => {
			descending = sort === column.key ? !descending : column.isNumber;
			sort = column.key;
			say(`Sorted by ${column.heading}, ${descending ? "descending" : "ascending"}`);
			show();
		}, {title: column.title || column.heading});
		return make("th", {scope: "col", class: column.isNumber ? "number" : column.wide ? "wide" : ""}, text);
	});

	const rowOf = (/** @type {any} */ row) => rowElement(options, row);

	const show = () => {
		const column = columns.find((each) => each.key === sort), wanted = expression(pattern);
		let rows = options.rows;
		if (wanted) rows = rows.filter((row) => columns.some((each) => !each.isNumber && wanted.test(each.text(row))));
		if (column) rows = [...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (descending ? -1 : 1));
		body.replaceChildren(...rows.slice(0, shown).map(rowOf));
		headings.forEach((each, at) => {
			const isSorted = columns[at].key === sort;
			if (isSorted) each.setAttribute("aria-sort", descending ? "descending" : "ascending");
			else each.removeAttribute("aria-sort");
		});
		count.textContent = rows.length === options.rows.length ? `${rows.length} rows` : `${rows.length} of ${options.rows.length} rows`;
		more.replaceChildren();
		if (rows.length > shown)
			more.append(button(`show ${Math.min(rows.length - shown, 5 * PAGE)} more of ${rows.length - shown}`, () => {
				shown += 5 * PAGE;
				show();
			}, {class: "quiet"}));
	};

	const table = make("table", {class: columns.some((each) => each.wide) ? "" : "narrow"}, make("caption", {class: "unseen"}, safe(options.caption)), make("thead", {}, make("tr", {}, ...headings)), body);
	show();
	const tools = make("div", {class: "tabletools"});
	if (options.filter !== false && options.rows.length > 8)
		tools.append(make("input", {
			type: "search", placeholder: "filter rows", "aria-label": "Filter rows of " + options.caption, spellcheck: false,
			oninput: (/** @type {Event} */ event) => {
				pattern = /** @type {HTMLInputElement} */ (event.target).value;
				show();
			},
		}));
	tools.append(count);
	return make("div", {class: "tablebox"}, tools, make("div", {class: "scroll", tabIndex: 0, role: "region", "aria-label": safe(options.caption)}, table), more);
}

/**
 * @param {any} a
 * @param {any} b
 */
function compare(a, b) {
	if (a === b) return 0;
	if (a === null || a === undefined) return -1;
	if (b === null || b === undefined) return 1;
	return a < b ? -1 : 1;
}
