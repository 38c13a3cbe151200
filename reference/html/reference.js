// SPDX-License-Identifier: BSD-3-Clause
// The search in INDEX (index.js: name, page, summary, chapter), the list of a chapter's procedures,
// and tabs for languages. Without scripts a page has all languages below each other.
"use strict";

const root = document.body.dataset.root;
const here = location.pathname.split("/").slice(-2).join("/");

// ---- search
const input = document.getElementById("search");
const found = document.getElementById("found");
const SHOWN = 12;

// The smaller, the better; undefined: no match. Every word is in the name, or in the summary.
function rank([name, , summary], words) {
    const text = name.toLowerCase();
    const bare = text.replace(/^mpi_(t_)?/, "");
    if (words.every((word) => text.includes(word))) {
        const first = words[0].replace(/^mpi_/, "");
        return (bare === first ? 0 : bare.startsWith(first) ? 1 : 2) + name.length / 100;
    }
    const all = text + " " + summary.toLowerCase();
    return words.every((word) => all.includes(word)) ? 4 : undefined;
}

function matches(query) {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word);
    if (words.length === 0) {
        return [];
    }
    return INDEX.map((entry) => [rank(entry, words), entry])
        .filter(([value]) => value !== undefined)
        .sort(([one], [other]) => one - other)
        .slice(0, SHOWN)
        .map(([, entry]) => entry);
}

function item([name, page, summary]) {
    const link = document.createElement("a");
    link.href = root + page;
    link.append(Object.assign(document.createElement("b"), { textContent: name }));
    link.append(Object.assign(document.createElement("span"), { textContent: summary }));
    const line = document.createElement("li");
    line.append(link);
    return line;
}

function show() {
    const entries = matches(input.value);
    found.replaceChildren(...entries.map(item));
    found.hidden = entries.length === 0;
    choose(0);
}

function choose(place) {
    const links = [...found.querySelectorAll("a")];
    links.forEach((link, index) => link.classList.toggle("chosen", index === place));
    links[place]?.scrollIntoView({ block: "nearest" });
}

input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")];
    const place = links.findIndex((link) => link.classList.contains("chosen"));
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const step = event.key === "ArrowDown" ? 1 : links.length - 1;
        choose((place + step) % links.length);
        event.preventDefault();
    } else if (event.key === "Enter" && links[place]) {
        location.href = links[place].href;
    } else if (event.key === "Escape") {
        found.hidden = true;
    }
});
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
        input.focus();
        event.preventDefault();
    }
});
document.addEventListener("click", (event) => {
    found.hidden = !event.target.closest(".search") || found.children.length === 0;
});

// ---- the other procedures of the chapter
const chapter = INDEX.find(([, page]) => page === here)?.[3];
if (chapter) {
    const links = INDEX.filter((entry) => entry[3] === chapter).map(([name, page]) => {
        const link = Object.assign(document.createElement("a"), { textContent: name });
        link.href = root + page;
        if (page === here) {
            link.setAttribute("aria-current", "page");
        }
        return link;
    });
    document.getElementById("neighbours").append(...links);
    document.querySelector("aside [aria-current]").scrollIntoView({ block: "center" });
    scrollTo(0, 0);
}

// ---- languages
function remembered() {
    try {
        return localStorage.getItem("language");
    } catch {
        return null; // pages of files may have no storage
    }
}

function select(language) {
    for (const box of document.querySelectorAll(".languages")) {
        const sections = [...box.querySelectorAll(":scope > section")];
        const has = sections.some((section) => section.dataset.language === language);
        const shown = has ? language : sections[0]?.dataset.language;
        sections.forEach((section) => (section.hidden = section.dataset.language !== shown));
        for (const button of box.querySelectorAll(".tabs button")) {
            button.setAttribute("aria-selected", button.textContent === shown);
        }
    }
}

for (const box of document.querySelectorAll(".languages")) {
    const tabs = Object.assign(document.createElement("div"), { className: "tabs" });
    tabs.setAttribute("role", "tablist");
    for (const section of box.querySelectorAll(":scope > section")) {
        const language = section.dataset.language;
        const button = Object.assign(document.createElement("button"), { textContent: language });
        button.type = "button";
        button.setAttribute("role", "tab");
        button.addEventListener("click", () => {
            select(language);
            try {
                localStorage.setItem("language", language);
            } catch {
                // the choice is for this page alone
            }
        });
        tabs.append(button);
        section.querySelector("h3").hidden = true;
    }
    box.prepend(tabs);
}
select(remembered());
