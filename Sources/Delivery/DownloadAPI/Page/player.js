// The player: the browser's own where it plays HLS, else hls.js.
const dialog = document.getElementById("player");
const video = document.getElementById("video");
const trouble = document.getElementById("trouble");
const playlist = "application/vnd.apple.mpegurl";
let library = null;
let current = 0;
/** How often hls.js may begin again after media that the browser refuses. */
const mostRecoveries = 3;

function complain(text) {
  trouble.textContent = text ?? "";
  trouble.hidden = !text;
}

/** The class of hls.js; null where it is not installed. */
async function loaded() {
  try {
    const module = await import("./hls.js");
    return module.default ?? module.Hls ?? globalThis.Hls ?? null;
  } catch {
    return null;
  }
}

async function playByLibrary(address, number) {
  const Hls = await loaded();
  if (number !== current) return;
  if (!Hls) {
    complain("This browser does not play HLS by itself, and hls.js is not installed on this computer. "
      + "docs/OFFLINE.md says how to install it (make hls-js); Chromium and Safari need nothing.");
    return;
  }
  // Its worker would be a script from a blob, which the page does not allow.
  library = new Hls({ enableWorker: false, startPosition: 0 });
  let recoveries = 0;
  library.on(Hls.Events.ERROR, (_, data) => {
    if (!data.fatal || number !== current) return;
    recoveries += 1;
    if (data.type === Hls.ErrorTypes.MEDIA_ERROR && recoveries <= mostRecoveries) library.recoverMediaError();
    else complain(`The player cannot go on: ${data.details}.`);
  });
  library.loadSource(address);
  library.attachMedia(video);
  video.play().catch(() => {});
}

/** Plays a task in the dialog. */
export async function open(task) {
  close();
  const number = current;
  document.getElementById("playing").textContent = task.title;
  complain();
  if (!dialog.open) dialog.showModal();
  video.focus();
  const folder = `${new URL("downloads/", location.href)}${task.id}/`;
  if (task.file && task.renditions.length === 0 || task.file && task.state === "completed") {
    video.onerror = () => complain(
      `The browser does not play ${task.file}; other players do: ${folder}${task.file}`);
    video.src = folder + task.file;
  } else if (video.canPlayType(playlist)) {
    video.onerror = () => {
      video.onerror = null;
      playByLibrary(`${folder}index.m3u8`, number);
    };
    video.src = `${folder}index.m3u8`;
  } else {
    await playByLibrary(`${folder}index.m3u8`, number);
    return;
  }
  video.play().catch(() => {});
}

/** Ends what plays. */
export function close() {
  current += 1;
  library?.destroy();
  library = null;
  video.onerror = null;
  video.removeAttribute("src");
  video.load();
}

// Before the player sees it: Chromium's own controls act on the same keys, and would undo what is done here.
dialog.addEventListener("keydown", (event) => {
  const isButton = event.target.tagName === "BUTTON";
  const steps = { ArrowLeft: -10, ArrowRight: 10 };
  if (event.key in steps) video.currentTime = Math.max(0, video.currentTime + steps[event.key]);
  else if (event.key === " " && !isButton) video.paused ? video.play().catch(() => {}) : video.pause();
  else if (event.key === "f" || event.key === "F") {
    if (document.fullscreenElement) document.exitFullscreen();
    else video.requestFullscreen().catch(() => {});
  } else return;
  event.preventDefault();
  event.stopPropagation();
}, true);
