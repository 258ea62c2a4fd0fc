// app.js: the page as a whole: title, tabs, what is chosen, and the page that is shown.

import { curvesOf, makeStrip } from "./clock.js";
import { showCode } from "./code.js";
import { loadFirst, loadRest } from "./data.js";
import { showDifference } from "./difference.js";
import { GROUPS, isWorth, showGroup } from "./documents.js";
import { showFunctions } from "./functions.js";
import { showOverview } from "./overview.js";
import { narrowed } from "./narrow.js";
import { followTheme } from "./palette.js";
import { Report } from "./report.js";
import { showFlame } from "./sandwich.js";
import { choose, expression, onChange, rangeText, readAddress, state } from "./state.js";
import { stateText } from "./states.js";
import { safe, shorten } from "./text.js";
import { showTimeline } from "./timeline.js";
import { button, find, make, say, select, tip } from "./widget.js";

/** @typedef {{id: string, title: string, show: (parent: HTMLElement, report: Report) => void}} Page */

/**
 * The pages that there are data for.
 * @param {Report} report
 * @returns {Page[]}
 */
function pagesOf(report) {
	/** @type {Page[]} */
	const pages = [{id: "overview", title: "Overview", show: showOverview}];
	if (report.head.rows > 0) {
		pages.push({id: "timeline", title: "Timeline", show: showTimeline}, {id: "flame", title: "Call stacks", show: showFlame},
			{id: "functions", title: "Functions", show: showFunctions});
		if (report.head.base) pages.push({id: "difference", title: "Difference", show: showDifference});
		pages.push({id: "code", title: "Source", show: showCode});
	}
	for (const [id, title] of Object.entries(GROUPS))
		if (report.data.documents.some((each) => each.group === id && isWorth(each)))
			pages.push({id, title, show: (parent, of) => showGroup(parent, of, id)});
	return pages;
}

class App {
	/** @param {Report} report */
	constructor(report) {
		this.report = report;
		this.pages = pagesOf(report);
		if (!report.metric(state.metric)) state.metric = startMetric(report);
		/** @type {ReturnType<typeof makeStrip>|null} */
		this.strip = null;
		this.isWaiting = false;
		find("strip").hidden = report.head.rows === 0;
		this.showTitle();
		this.showTabs();
		this.showControls();
		this.show();
		onChange((changed) => this.update(changed));
		this.listen();
	}

	/** The events are there, too. */
	complete() {
		this.report.complete();
		if (this.report.head.rows > 0) this.strip = makeStrip(this.report);
		if (this.isWaiting) this.show();
	}

	showTitle() {
		const {head} = this.report, first = head.experiments.find((each) => !each.is_base);
		const title = first ? first.command : head.origins.join(" ");
		document.title = `${shorten(safe(title), 60)} — Xer report`;
		find("title").replaceChildren(make("bdi", {title: safe(title.slice(0, 2000))}, shorten(safe(title), 80)));
	}

	showTabs() {
		find("tabs").replaceChildren(...this.pages.map((page) => make("a", {
			href: "#" + page.id, "data-page": page.id,
			onclick: (/** @type {Event} */ event) => {
				event.preventDefault();
				choose({page: page.id});
			},
		}, page.title)));
	}

	showControls() {
		const {report} = this, metrics = report.head.metrics.filter((each) => report.hasValues(each));
		const controls = find("controls");
		if (metrics.length === 0) {
			controls.hidden = true;
			return;
		}
		const search = make("input", {type: "search", id: "search", placeholder: "regular expression", value: state.search, spellcheck: false, autocomplete: "off"});
		let wait = 0;
		search.oninput = () => {
			clearTimeout(wait);
			wait = setTimeout(() => {
				search.setAttribute("aria-invalid", String(search.value !== "" && !expression(search.value)));
				choose({search: search.value});
			}, 120);
		};
		this.only = make("input", {type: "checkbox", onchange: () => choose({only: !state.only})});
		this.metricBox = select("metric", metrics.map((each) => [each.keyword, each.meaning]), state.metric, (metric) => choose({metric}));
		this.chips = make("span", {class: "chips"});
		controls.replaceChildren(this.metricBox, make("label", {class: "field"}, make("span", {}, "search functions"), search),
			make("label", {class: "field"}, this.only, make("span", {}, "only stacks with them")), this.chips);
		this.showChips();
	}

	/** What narrows the pages, each with a button that takes it away. */
	showChips() {
		if (!this.chips || !this.only || !this.metricBox) return;
		this.only.checked = state.only;
		/** @type {HTMLSelectElement} */ (this.metricBox.querySelector("select")).value = state.metric;
		const chips = [], range = rangeText();
		if (range) chips.push(chip(range, "All of the time", () => choose({from: null, to: null})));
		if (state.threads) chips.push(chip(state.threads.size === 1 ? "thread " + this.report.threadName([...state.threads][0]) : `${state.threads.size} threads`, "All threads", () => choose({threads: null})));
		this.chips.replaceChildren(...chips);
	}

	/** @param {Set<keyof import("./state.js").State>} changed */
	update(changed) {
		if (["from", "to", "threads", "search", "only"].some((key) => changed.has(/** @type {any} */ (key)))) this.report.forget();
		this.showChips();
		this.strip?.update();
		this.show(changed.has("page"));
	}

	show(isNew = false) {
		const page = this.pages.find((each) => each.id === state.page) || this.pages[0], main = find("main"), scroll = main.scrollTop;
		for (const tab of find("tabs").children)
			if (/** @type {HTMLElement} */ (tab).dataset.page === page.id) tab.setAttribute("aria-current", "page");
			else tab.removeAttribute("aria-current");
		tip(0, 0);
		const box = make("div", {class: "page " + page.id});
		if (this.report.isNarrow) box.dataset.range = "1";
		const held = main.offsetHeight;
		main.style.minHeight = isNew ? "" : held + "px";
		main.replaceChildren(box);
		this.isWaiting = !this.report.isComplete && (page.id !== "overview" || this.report.isNarrow || !this.report.usual.every(({top}) => top));
		if (this.isWaiting) box.append(make("p", {class: "wait"}, "Reading …"));
		else page.show(box, this.report);
		requestAnimationFrame(() => (main.style.minHeight = ""));
		main.scrollTop = isNew ? 0 : scroll;
		if (isNew) {
			window.scrollTo(0, 0);
			say(page.title);
		}
	}

	listen() {
		followTheme(find("theme"), () => {
			this.strip?.redraw();
			this.show();
		});
		addEventListener("hashchange", () => {
			readAddress();
			this.report.forget();
			this.showControls();
			this.strip?.update();
			this.show(true);
		});
		addEventListener("keydown", (event) => {
			if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {HTMLElement} */ (event.target).tagName)) return;
			event.preventDefault();
			document.getElementById("search")?.focus();
		});
	}
}

/** @param {string} text @param {string} label @param {() => void} run */
function chip(text, label, run) {
	return button(text + "  ×", run, {class: "chip", title: label, "aria-label": `${text}: ${label}`});
}

/** @param {Report} report */
function startMetric(report) {
	const wanted = report.head.sort ? report.metric(report.head.sort) : undefined;
	if (wanted && report.hasValues(wanted)) return wanted.keyword;
	return report.usual[0] ? report.usual[0].keyword : "";
}

async function start() {
	try {
		readAddress();
		const data = await loadFirst(), app = new App(new Report(data));
		// The overview is drawn before all else is read; a page in the background is not drawn.
		await new Promise((done) => {
			requestAnimationFrame(() => setTimeout(done));
			setTimeout(done, 300);
		});
		const first = performance.now();
		await loadRest(data);
		app.complete();
		// For tests, and for whoever asks the page by hand.
		/** @type {any} */ (window).xer = {app, report: app.report, state, choose, narrowed, stateText, curves: curvesOf(app.report), first, ready: performance.now()};
		document.documentElement.dataset.ready = "1";
	} catch (error) {
		find("main").replaceChildren(make("p", {class: "none"}, "This page cannot be shown: " + String(error)));
		document.documentElement.dataset.ready = "failed";
	}
}

start();
