// Buttons that save what is seen: a picture, or the whole motion as a GIF or a video. While one is made its button stops it.
import { film, NO_VIDEO, recordable } from "./film/film.js";

const $ = (id) => document.getElementById(id);
const KINDS = [["png", "Picture", "Save this picture as PNG"], ["gif", "GIF", "Save the motion as a GIF"], ["mp4", "Video", "Save the motion as a video (MP4; WebM where the browser has no other)"]];

function download(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export function makeSaving(clock, view, title) {
    const stem = title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "") || "lilyan";
    let busy = null; // the film that is being made: its button, whether it is to stop, and its end
    const save = async (format, label, job) => {
        const { button } = job;
        button.textContent = "Stop";
        try {
            const blob = await film(format, clock, view, {}, (done, of) => {
                if (of > 1) $("saving").textContent = `Picture ${done} of ${of}.`;
                return !job.stops;
            });
            const name = `${stem}.${/webm/.test(blob.type) ? "webm" : format}`;
            download(blob, name);
            $("saving").textContent = `Saved ${name}, ${blob.size < 1e5 ? `${Math.ceil(blob.size / 1e3)} kB` : `${(blob.size / 1e6).toFixed(1)} MB`}.`;
        } catch (error) {
            $("saving").textContent = job.stops ? "" : error.message;
        }
        button.textContent = label;
    };
    // One at a time: the next waits for the end of one that is to stop.
    const begin = async (format, label, button) => {
        const before = busy, job = { button, stops: false };
        busy = job;
        job.end = (async () => { await before?.end; await save(format, label, job); })();
        await job.end;
        if (busy === job) busy = null;
    };
    for (const [format, label, title] of view ? KINDS : []) {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: label, title, id: `save-${format}` });
        button.addEventListener("click", () => { if (!busy || busy.stops) begin(format, label, button); else if (busy.button === button) busy.stops = true; });
        if (format === "mp4" && typeof VideoEncoder === "undefined" && !recordable())
            Object.assign(button, { disabled: true, title: NO_VIDEO });
        $("save").append(button);
    }
}
