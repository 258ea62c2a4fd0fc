// tables.mjs: tables of xer_print, and of a report page, as texts that can be compared. The program is the second argument.

import { spawnSync } from "node:child_process";

export const xerPrint = process.argv[3];

/** The first table of this name that a command prints. */
export function tableOf(args, name) {
	const text = spawnSync(xerPrint, ["-printmode", "json", "-limit", "0", ...args], {encoding: "utf8", maxBuffer: 1 << 28}).stdout;
	// A setting prints nothing, so the last document is that of the view.
	const documents = text.split(/\n(?=\{"command")/).filter((each) => each.trim()).map((each) => JSON.parse(each.replace(/(\d+\.\d{9})(?=[,\]])/g, '"$1"')));
	return documents.at(-1)?.tables.find((table) => table.name === name) || {columns: [], rows: []};
}

/** Nanoseconds of "1.250000000"; other numbers as they are. */
export function valueOf(cell) {
	return typeof cell === "string" && /^\d+\.\d{9}$/.test(cell) ? Number(cell.replace(".", "")) : cell;
}

/** Rows of a table as sorted texts "NAME e.METRIC=VALUE ...": only sums that are not 0. */
export function rowsOf(table, leaveOut, isRounded = false) {
	const at = table.columns.findIndex((column) => column.key === "name");
	return table.rows.filter((row) => row[at] !== "<Total>").map((row) => {
		const values = table.columns.map((column, i) => [column.key, valueOf(row[i]), column.unit])
			.filter(([key, value]) => /^[ei]\./.test(key) && !leaveOut.test(key) && !/\.(ipc|cpi|low|high)$/.test(key) && value)
			.map(([key, value, unit]) => `${key}=${isRounded && unit === "s" ? rounded(value) : value}`);
		return values.length ? `${row[at]} ${values.sort().join(" ")}` : "";
	}).filter((line) => line).sort();
}

/** Sums of a part of the time are rounded in another order than those of the terminal: microseconds are compared. */
export function rounded(ns) {
	return `about ${Math.round(ns / 1000)} us`;
}

/** The same of the page. */
export async function rowsOfPage(page, by, leaveOut, isRounded = false) {
	const lines = await page.evaluate((how) => {
		const {report} = window.xer, out = new Map();
		for (const metric of report.head.metrics) {
			if (metric.live || !report.hasValues(metric)) continue;
			const flat = report.flat(metric, how);
			flat.inclusive.forEach((value, key) => {
				if (value || flat.exclusive[key]) {
					const line = out.get(key) || [];
					if (flat.exclusive[key]) line.push([`e.${metric.keyword}`, flat.exclusive[key], metric.unit]);
					if (value) line.push([`i.${metric.keyword}`, value, metric.unit]);
					out.set(key, line);
				}
			});
		}
		return [...out].map(([key, line]) => [report.name(how, key), line]);
	}, by);
	return lines.map(([name, line]) => [name, line.filter(([key]) => !leaveOut.test(key)).map(([key, value, unit]) => `${key}=${isRounded && unit === "s" ? rounded(value) : value}`)]).filter(([name, line]) => name !== "<Total>" && line.length)
		.map(([name, line]) => `${name} ${line.sort().join(" ")}`).sort();
}

export function differences(expected, actual) {
	const want = new Set(expected), have = new Set(actual);
	return [...expected.filter((line) => !have.has(line)).map((line) => `missing: ${line}`), ...actual.filter((line) => !want.has(line)).map((line) => `too much: ${line}`)];
}

/** Rows of tables of documents, to be compared: without columns that are not added up; lines of equal texts, which are one on the page, together. */
export function comparable(tables) {
	const sums = new Map();
	for (const {columns, rows} of tables.filter((table) => table.name !== "quality"))
		for (const row of rows) {
			const cells = columns.map(({key, unit, kind}, i) => ({key, isSum: kind === "number" && unit !== "", unit, cell: Array.isArray(row[i]) ? row[i].join("<").replace(/ \+ 0x[0-9A-F]+/g, "") : row[i]}))
				.filter(({key}) => !/^(number|longest|sync|threads|heappeak.*|heapmappeak|wall|mpi_cpu|status|min|mean|p50|p90|p99|max|stddev|made_in|longest_in|mutex|owner.*|idle|ready|next|.*between.*|first|last|.*\.low|.*\.high)$/.test(key));
			const name = cells.filter(({isSum}) => !isSum).map(({key, cell}) => `${key}=${cell ?? ""}`).join(" ");
			const numbers = cells.filter(({isSum}) => isSum), known = sums.get(name) || numbers.map(({key, unit}) => ({key, unit, sum: 0}));
			numbers.forEach(({cell}, i) => (known[i].sum += Number(cell)));
			// Ranks have statistics below them.
			if (!/^rank=[^0-9]/.test(name)) sums.set(name, known);
		}
	// The sum of nothing is not shown on the page.
	return [...sums].filter(([name, list]) => !name.includes("<Total>") || list.some(({sum}) => sum)).map(([name, list]) => `${name} ${list.map(({key, unit, sum}) => `${key}=${unit === "s" ? Math.round(sum * 1e6) : sum}`).join(" ")}`).sort();
}

/** Statistics of sizes, as texts: cells by table and column, of what adds up. */
export function sizesOf(tables) {
	return tables.filter(({name}) => /^(totals|classes|functions|errors|.*sizes)$/.test(name)).flatMap(({name, columns, rows}) => rows.map((row) => {
		const cells = columns.map(({key, unit}, i) => `${key}=${unit === "s" ? Math.round(row[i] * 1e6) : row[i]}`);
		return `${name} ${cells.filter((cell) => !/^(smallest|largest|longest|unmatched_frees)=/.test(cell)).join(" ")}`;
	})).sort();
}
