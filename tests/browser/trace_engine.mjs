// trace_engine.mjs: reads a trace with the engine of Chrome's DevTools and prints its processes and threads. Usage: trace_engine.mjs FILE
// "process<TAB>id<TAB>name" and "thread<TAB>name<TAB>events<TAB>events at the top<TAB>ms from begin to end of these" lines.

import { readFileSync } from "node:fs";

// The engine is made for a browser.
globalThis.DOMRect = class {
	constructor(x, y, width, height) {
		Object.assign(this, {x, y, width, height});
	}
};
const {Processor} = await import("@paulirish/trace_engine");

const engine = Processor.TraceProcessor.createWithAllHandlers();
await engine.parse(JSON.parse(readFileSync(process.argv[2], "utf8")).traceEvents, {});
const {Meta, Renderer} = engine.data;

for (const [id, event] of Meta.processNames) console.log(["process", id, event.args.name].join("\t"));
for (const [, {threads}] of Renderer.processes)
	for (const [, thread] of threads) {
		const roots = [...(thread.tree?.roots ?? [])], length = roots.reduce((sum, node) => sum + (node.entry.dur ?? 0), 0);

		console.log(["thread", thread.name, thread.entries.length, roots.length, (length / 1000).toFixed(3)].join("\t"));
	}
