// The list of tasks: follows the events of the server and sends what a person asks for.
import { open, close } from "./player.js";

const list = document.getElementById("tasks");
const empty = document.getElementById("empty");
const notice = document.getElementById("notice");
const form = document.getElementById("add");
const field = document.getElementById("url");
const player = document.getElementById("player");
const confirmation = document.getElementById("confirm");
const rows = new Map();

const words = {
  queued: "Waiting",
  preparing: "Preparing",
  downloading: "Downloading",
  packing: "Packing",
  paused: "Paused",
  waiting_for_network: "Waiting for the network",
  completed: "Complete",
  failed: "Failed",
  canceled: "Canceled",
};

const allowed = {
  queued: ["pause"],
  preparing: ["pause"],
  downloading: ["play", "pause"],
  packing: ["play"],
  paused: ["play", "resume"],
  waiting_for_network: ["play", "pause"],
  completed: ["play"],
  failed: ["play", "retry"],
  canceled: ["play", "retry"],
};

/** Shows what is wrong; nothing hides it. */
function say(text) {
  notice.textContent = text ?? "";
  notice.hidden = !text;
}

/** Sends a request that changes something; gives the answer, or shows why there is none. */
async function send(method, path, body) {
  try {
    const answer = await fetch(path, {
      method,
      headers: { "X-Backcast": "1", "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    if (answer.ok) {
      say();
      return answer.status === 204 ? {} : await answer.json();
    }
    const problem = await answer.json().catch(() => ({}));
    say(problem.detail ?? problem.title ?? `The server answered with status ${answer.status}.`);
  } catch {
    say("The server does not answer.");
  }
  return null;
}

function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? bytes : bytes.toFixed(1)}\u00a0${units[unit]}`;
}

/** Minutes and seconds, with hours where there are some. */
function time(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const parts = hours > 0 ? [hours, String(minutes).padStart(2, "0")] : [minutes];
  return [...parts, String(whole % 60).padStart(2, "0")].join(":");
}

function facts(task) {
  const percent = Math.floor(task.progress * 100);
  const all = [];
  if (task.state !== "completed" && task.progress > 0) all.push(`${percent}\u00a0%`);
  if (task.duration_seconds > 0) all.push(time(task.duration_seconds));
  if (task.bytes > 0) all.push(size(task.bytes));
  if (task.state === "downloading" && task.speed_bytes_per_second > 0) {
    all.push(`${size(task.speed_bytes_per_second)}/s`);
    const left = ((1 - task.progress) * task.bytes) / task.progress / task.speed_bytes_per_second;
    if (task.progress > 0.01 && left < 360000) all.push(`${time(left)}\u00a0left`);
  }
  return all;
}

/** Whether something of the task can be played. */
function isPlayable(task) {
  const comes = ["downloading", "waiting_for_network", "packing", "completed"].includes(task.state);
  return allowed[task.state].includes("play") && (comes || task.segments.done > 0)
    && (task.renditions.length > 0 || task.file !== null);
}

function show(task) {
  let row = rows.get(task.id);
  if (!row) {
    row = document.getElementById("task").content.cloneNode(true).firstElementChild;
    row.dataset.id = task.id;
    rows.set(task.id, row);
    const next = [...list.children].find((other) => other.task.created < task.created);
    list.insertBefore(row, next ?? null);
  }
  const focused = row.contains(document.activeElement) ? document.activeElement : null;
  row.task = task;
  row.dataset.state = task.state;
  row.querySelector("h2").textContent = task.title;
  const state = document.createElement("b");
  state.textContent = words[task.state] ?? task.state;
  row.querySelector(".facts").replaceChildren(state, ...facts(task).map((fact) => `\u00a0· ${fact}`));
  const bar = row.querySelector(".progress");
  bar.setAttribute("aria-valuenow", Math.floor(task.progress * 100));
  bar.setAttribute("aria-label", `Progress of ${task.title}`);
  bar.firstElementChild.style.width = `${task.progress * 100}%`;
  const error = row.querySelector(".error");
  error.hidden = !task.error;
  error.textContent = task.error ? `${task.error.title}: ${task.error.detail}` : "";
  const picture = row.querySelector("img");
  if (task.picture && picture.hidden) {
    picture.src = `downloads/${task.id}/${task.picture}`;
    picture.hidden = false;
  }
  for (const button of row.querySelectorAll("[data-do]")) {
    const action = button.dataset.do;
    const isAllowed = action === "remove" || (action === "play" ? isPlayable(task) : allowed[task.state].includes(action));
    if (button.className === "picture") button.disabled = !isAllowed;
    else button.hidden = !isAllowed;
    button.setAttribute("aria-label", `${button.textContent.trim() || "Play"} ${task.title}`);
  }
  if (focused && (focused.hidden || focused.disabled)) focusIn(row, focused);
  empty.hidden = true;
}

/** Keeps the place of the keyboard: on the action of a row that comes instead of one that is gone. */
function focusIn(row, gone) {
  const there = [...row.querySelectorAll(".actions button:not([hidden])")];
  const isAfter = (button) => gone.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING;
  (there.find((button) => button.dataset.do !== "remove" && button.dataset.do !== "play")
    ?? there.find(isAfter) ?? there[0])?.focus();
}

function drop(id) {
  const row = rows.get(id);
  if (row?.contains(document.activeElement)) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    (next?.querySelector(".actions button:not([hidden])") ?? field).focus();
  }
  row?.remove();
  rows.delete(id);
  empty.hidden = rows.size > 0;
}

/** Asks before something is deleted. */
function confirmed(question) {
  document.getElementById("question").textContent = question;
  confirmation.returnValue = "keep";
  confirmation.showModal();
  return new Promise((resolve) => {
    confirmation.addEventListener("close", () => resolve(confirmation.returnValue === "remove"), { once: true });
  });
}

async function act(action, task) {
  const path = `downloads/${task.id}`;
  if (action === "play") {
    open(task);
  } else if (action === "remove") {
    if (await confirmed(`Remove “${task.title}” and its files?`)) {
      if (await send("DELETE", path)) drop(task.id);
    }
  } else {
    const changed = await send("POST", `${path}/${action}`);
    if (changed) show(changed);
  }
}

list.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) act(button.dataset.do, button.closest("li").task);
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  const task = await send("POST", "downloads", { url: field.value.trim() });
  button.disabled = false;
  if (task) {
    show(task);
    field.value = "";
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || player.open || event.target === field) return;
  event.preventDefault();
  field.focus();
});

document.getElementById("close").addEventListener("click", () => player.close());
player.addEventListener("close", close);

const events = new EventSource("downloads/events");
let isLost = false;
events.addEventListener("task", (event) => show(JSON.parse(event.data)));
events.addEventListener("removed", (event) => drop(JSON.parse(event.data).id));
events.addEventListener("open", async () => {
  if (isLost) say();
  isLost = false;
  // The server does not report tasks that were removed while there was no connection.
  const answer = await fetch("downloads").then((all) => all.json()).catch(() => null);
  if (!answer) return;
  const there = new Set(answer.items.map((task) => task.id));
  for (const id of [...rows.keys()]) if (!there.has(id)) drop(id);
  for (const task of answer.items) show(task);
  empty.hidden = rows.size > 0;
});
events.addEventListener("error", () => {
  isLost = true;
  say("The connection to the server is lost; it is tried again.");
});
