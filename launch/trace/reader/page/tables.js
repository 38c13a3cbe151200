// SPDX-License-Identifier: BSD-3-Clause
// What lies below the time line: tables, the matrix, histograms; and what begins it all.
function fillTable(name) {
    const body = document.querySelector(`#${name} tbody`);
    const rows = data[name].filter(row => view.object < 0 || row.object === view.object);
    body.replaceChildren(...rows.map(row => {
        const line = document.createElement("tr");
        line.append(...row.cells.map(text => Object.assign(document.createElement("td"), { textContent: text })));
        return line;
    }));
    if (rows.length > 0) return;
    const cell = Object.assign(document.createElement("td"), { textContent: "none", className: "none", colSpan: 9 });
    body.insertRow().append(cell);
}

function drawHistogram({ title, total, buckets }) {
    const first = buckets[0][0], last = buckets[buckets.length - 1][0], count = Math.max(last - first + 1, 6);
    const most = Math.log2(1 + Math.max(...buckets.map(bucket => bucket[1]))), width = 360 / count;
    const bars = buckets.map(([power, calls]) => {
        const height = Math.max(44 * Math.log2(1 + calls) / most, 1), x = (power - first) * width;
        return `<rect x="${x}" y="${46 - height}" width="${width - 1}" height="${height}"><title>` +
            `${calls.toLocaleString("en")} calls of ${timeText(2 ** power)} to ${timeText(2 ** (power + 1))}</title></rect>`;
    });
    const ends = [first, first + count].map(power => `<span>${timeText(2 ** power)}</span>`);
    const figure = Object.assign(document.createElement("div"), { className: "histogram" });
    figure.innerHTML = `<h3></h3><svg viewBox="0 0 360 46" preserveAspectRatio="none">${bars.join("")}</svg>` +
        `<p class="ends">${ends.join("")}</p>`;
    figure.firstChild.textContent = `${title}: ${total}`;
    return figure;
}

function fillHistograms() {
    const wanted = data.histograms.filter(its => view.object < 0 || its.object === view.object);
    document.getElementById("histograms").replaceChildren(...wanted.slice(0, 6).map(drawHistogram));
}

// ---- the matrix -----------------------------------------------------------------------
function matrixCells() {
    const measure = document.querySelector("[name=measure]:checked").value === "bytes" ? 3 : 2;
    const cells = new Map();
    for (const [object, rows] of Object.entries(data.matrices))
        if (view.object < 0 || +object === view.object)
            for (const row of rows) {
                const key = row[0] * data.size + row[1];
                cells.set(key, (cells.get(key) || 0) + row[measure]);
            }
    return cells;
}

function drawMatrix() {
    const plane = document.getElementById("matrix"), context = plane.getContext("2d");
    const cells = matrixCells(), most = Math.max(1, ...cells.values()), margin = 40;
    const side = (plane.width - margin) / data.size;
    context.clearRect(0, 0, plane.width, plane.height);
    context.fillStyle = "#f6f8fa";
    context.fillRect(margin, margin, plane.width - margin, plane.height - margin);
    for (const [key, value] of cells) {
        const share = Math.log2(1 + value) / Math.log2(1 + most);
        context.fillStyle = `hsl(${210 - 200 * share} 70% ${88 - 45 * share}%)`;
        context.fillRect(margin + key % data.size * side, margin + Math.floor(key / data.size) * side,
            Math.max(side - 1, 1), Math.max(side - 1, 1));
    }
    drawMatrixLabels(context, side, margin);
    plane.onmousemove = event => showCell(event, cells, side, margin);
}

function drawMatrixLabels(context, side, margin) {
    const step = Math.ceil(24 / side);
    context.fillStyle = "#656d76";
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.fillText("to rank", margin, 12);
    context.fillText("from", 2, 30);
    context.textAlign = "center";
    for (let rank = 0; rank < data.size; rank += step) {
        context.fillText(rank, margin + (rank + 0.5) * side, margin - 6);
        context.fillText(rank, margin / 2, margin + (rank + 0.5) * side + 4);
    }
}

function showCell(event, cells, side, margin) {
    const scale = event.target.width / event.target.clientWidth;
    const to = Math.floor((event.offsetX * scale - margin) / side), from = Math.floor((event.offsetY * scale - margin) / side);
    const isInside = to >= 0 && from >= 0 && to < data.size && from < data.size;
    const value = isInside ? cells.get(from * data.size + to) || 0 : 0;
    const isBytes = document.querySelector("[name=measure]:checked").value === "bytes";
    const text = isBytes ? bytesText(value) : value.toLocaleString("en") + " operations";
    document.getElementById("cell").textContent = isInside ? `rank ${from} to rank ${to}: ${text}` : "";
}

// ---- all of it ------------------------------------------------------------------------
function show() {
    draw();
    ["waits", "posts", "locks", "comings", "short"].forEach(fillTable);
    fillHistograms();
    drawMatrix();
}

// An address may end in #object=NUMBER.
function start() {
    const select = document.getElementById("object");
    data.objects.forEach(([kind, text], number) => {
        if (kind === "window" || data.matrices[number] || data.histograms.some(its => its.object === number))
            select.add(new Option(text.startsWith("'") ? `${kind} ${text}` : text, number));
    });
    const asked = /object=(\d+)/.exec(location.hash);
    if (asked) select.value = asked[1];
    const choose = () => { view.object = +select.value; show(); };
    select.onchange = choose;
    document.querySelectorAll("[name=measure]").forEach(radio => { radio.onchange = drawMatrix; });
    document.getElementById("summary").textContent = data.summary.join("\n");
    listen();
    choose();
    document.body.dataset.ready = Math.round(performance.now());
}
