// What the scene says of a part's look: its colour, opacity and roughness. The page chooses what it does not say. Where runs are
// laid over each other, colours tell them apart.
export const tint = (part, look, chosen) => (look.several ? chosen : part.color ?? chosen);

export function finish(material, part) {
    if (part.roughness !== undefined) material.roughness = part.roughness;
    if (part.opacity === undefined) return;
    material.opacity = part.opacity;
    material.transparent = part.opacity < 1;
    material.depthWrite = part.opacity === 1;
    material.needsUpdate = true;
}
