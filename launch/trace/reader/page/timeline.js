// SPDX-License-Identifier: BSD-3-Clause
// The time line: a row for each thread of each process, a bar for each call.
const data = JSON.parse(document.getElementById("data").textContent);
const [BEGIN, LENGTH, PROCEDURE, OBJECT, PEER, PLACE, CALLS, BYTES, CAUSE, KINDS] = Array(10).keys();
const LABELS = 92, AXIS = 22;
const view = { from: 0, to: Math.max(data.seconds * 1e9, 1), object: -1 };
const styles = getComputedStyle(document.documentElement);
const colours = Object.fromEntries(["access", "synchronization", "collective", "message", "other", "cause"]
    .map(name => [name, styles.getPropertyValue("--" + name).trim()]));
const rowHeight = Math.max(12, Math.min(26, 560 / data.tracks.length));
const canvas = document.getElementById("timeline");

function timeText(nanoseconds) {
    for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
        if (Math.abs(nanoseconds) >= size) return +(nanoseconds / size).toPrecision(4) + " " + unit;
    return Math.round(nanoseconds) + " ns";
}

function bytesText(bytes) {
    for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
        if (bytes >= size) return +(bytes / size).toPrecision(3) + " " + unit;
    return bytes + " B";
}

// The first bar of a row that ends behind a time.
function firstBar(bars, time) {
    let low = 0, high = bars.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (bars[middle][BEGIN] + bars[middle][LENGTH] < time) low = middle + 1; else high = middle;
    }
    return Math.max(low - 1, 0);
}

function isWanted(bar) {
    return view.object < 0 || bar[OBJECT] === view.object;
}

function colourOf(bar) {
    return bar[CAUSE] >= 0 ? colours.cause : colours[data.groups[bar[PROCEDURE]]];
}

// Draws one row, from bars to pixels; a pixel that has been drawn is not drawn again.
function drawRow(context, bars, top, width) {
    const scale = width / (view.to - view.from);
    let drawn = 0, right = -1;
    for (let i = firstBar(bars, view.from); i < bars.length && bars[i][BEGIN] <= view.to; i++) {
        const bar = bars[i];
        if (!isWanted(bar) || bar[BEGIN] + bar[LENGTH] < view.from) continue;
        drawn++;
        const left = Math.max((bar[BEGIN] - view.from) * scale, 0);
        const end = Math.min((bar[BEGIN] + bar[LENGTH] - view.from) * scale, width);
        if (end < right + 0.5 && end - left < 1) continue;
        context.fillStyle = colourOf(bar);
        context.fillRect(LABELS + left, top + 1, Math.max(end - left, 1), rowHeight - 3);
        right = end;
        drawName(context, bar, left, end, top);
    }
    return drawn;
}

function drawName(context, bar, left, end, top) {
    if (end - left < 60 || rowHeight < 12) return;
    context.save();
    context.beginPath();
    context.rect(LABELS + left, top, end - left - 3, rowHeight);
    context.clip();
    context.fillStyle = "#fff";
    context.fillText(data.procedures[bar[PROCEDURE]], LABELS + left + 4, top + rowHeight / 2);
    context.restore();
}

function drawAxis(context, width, height) {
    const rough = (view.to - view.from) / Math.max(width / 130, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) || rough;
    context.fillStyle = "#656d76";
    context.strokeStyle = "#eaeef2";
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
        const x = LABELS + (time - view.from) * width / (view.to - view.from);
        context.beginPath();
        context.moveTo(x, AXIS);
        context.lineTo(x, height);
        context.stroke();
        context.fillText(timeText(time), x + 3, AXIS / 2);
    }
}

function draw() {
    const ratio = window.devicePixelRatio || 1, whole = canvas.parentNode.clientWidth;
    const height = AXIS + data.tracks.length * rowHeight + 4, width = whole - LABELS - 6;
    canvas.width = whole * ratio;
    canvas.height = height * ratio;
    canvas.style.height = height + "px";
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    drawAxis(context, width, height);
    let drawn = 0;
    data.tracks.forEach(([rank, thread], row) => {
        const top = AXIS + row * rowHeight;
        context.fillStyle = "#1f2328";
        context.fillText(`rank ${rank}` + (thread ? `, thread ${thread}` : ""), 6, top + rowHeight / 2);
        drawn += drawRow(context, data.bars[row], top, width);
    });
    Object.assign(document.body.dataset, { bars: drawn, from: Math.round(view.from), to: Math.round(view.to) });
}

// ---- moving ---------------------------------------------------------------------------
function timeAt(x) {
    const width = canvas.clientWidth - LABELS - 6;
    return view.from + (x - LABELS) / width * (view.to - view.from);
}

function zoom(factor, around) {
    const whole = Math.max(data.seconds * 1e9, 1);
    const length = Math.min(Math.max((view.to - view.from) * factor, 50), whole);
    const share = (around - view.from) / (view.to - view.from);
    move(around - share * length, length);
}

function move(from, length) {
    const whole = Math.max(data.seconds * 1e9, 1);
    view.from = Math.min(Math.max(from, 0), whole - length);
    view.to = view.from + length;
    draw();
}

function barAt(x, y) {
    const row = Math.floor((y - AXIS) / rowHeight), time = timeAt(x);
    if (!data.bars[row] || x < LABELS) return null;
    const slack = (view.to - view.from) / canvas.clientWidth * 2;
    let found = null;
    for (let i = firstBar(data.bars[row], time - slack); i < data.bars[row].length; i++) {
        const bar = data.bars[row][i];
        if (bar[BEGIN] > time + slack) break;
        if (isWanted(bar) && bar[BEGIN] + bar[LENGTH] >= time - slack && (!found || bar[LENGTH] < found[LENGTH])) found = bar;
    }
    return found;
}

function tipText(bar) {
    const lines = [data.procedures[bar[PROCEDURE]] + (bar[OBJECT] >= 0 ? " on " + data.objects[bar[OBJECT]][1] : "")];
    if (bar[KINDS] > 1) lines[0] += " and others";
    lines.push(`${timeText(bar[LENGTH])} from ${timeText(bar[BEGIN])}`, data.places[bar[PLACE]]);
    if (bar[CALLS] !== 1) lines.push(`${bar[CALLS].toLocaleString("en")} calls`);
    if (bar[PEER] >= 0) lines.push(`names rank ${bar[PEER]}`);
    if (bar[BYTES]) lines.push(bytesText(bar[BYTES]));
    if (bar[CAUSE] >= 0) lines.push(`waits for rank ${bar[CAUSE]}`);
    return lines.join("\n");
}

function showTip(event) {
    const tip = document.getElementById("tip"), bar = barAt(event.offsetX, event.offsetY);
    tip.style.display = bar ? "block" : "none";
    if (!bar) return;
    tip.textContent = tipText(bar);
    tip.style.left = Math.min(event.offsetX + 14, canvas.clientWidth - tip.clientWidth - 8) + "px";
    tip.style.top = event.offsetY + 16 + "px";
}

function listen() {
    let held = null;
    canvas.addEventListener("wheel", event => {
        event.preventDefault();
        zoom(event.deltaY < 0 ? 0.7 : 1 / 0.7, timeAt(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("mousedown", event => { held = { x: event.offsetX, from: view.from }; });
    window.addEventListener("mouseup", () => { held = null; });
    canvas.addEventListener("mousemove", event => {
        showTip(event);
        const length = view.to - view.from;
        if (held) move(held.from - (event.offsetX - held.x) / (canvas.clientWidth - LABELS - 6) * length, length);
    });
    canvas.addEventListener("mouseleave", () => { document.getElementById("tip").style.display = "none"; });
    canvas.addEventListener("dblclick", () => move(0, Math.max(data.seconds * 1e9, 1)));
    const middle = () => (view.from + view.to) / 2;
    document.getElementById("closer").onclick = () => zoom(0.5, middle());
    document.getElementById("wider").onclick = () => zoom(2, middle());
    document.getElementById("whole").onclick = () => move(0, Math.max(data.seconds * 1e9, 1));
    window.addEventListener("resize", draw);
}
