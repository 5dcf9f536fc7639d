// What a run is drawn as, in order. A layer is one file: a function of (run, look) that gives null where a run has nothing
// of its kind, or { object, update(places, time, anchor), recolour(), ... }. `places` are x y z of all places of the frame,
// less the anchor.
import obstacles from "./obstacles.js";
import bodies from "./bodies.js";
import tets from "./tets.js";
import particles from "./particles.js";
import rods from "./rods.js";
import tubes from "./tubes.js";
import springs from "./springs.js";
import points from "./points.js";
import keys from "./keys.js";
import pins from "./pins.js";
import arrows from "./arrows.js";
import contacts from "./contacts.js";
import trails from "./trails.js";

export const layers = [obstacles, bodies, tets, particles, tubes, rods, springs, points, keys, pins, arrows, contacts, trails];
