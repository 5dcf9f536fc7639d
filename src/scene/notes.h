/* docs/scene-notes.md, which the build puts into the library (cmake/embed.cmake). */
#ifndef LIL_SCENE_NOTES_H
#define LIL_SCENE_NOTES_H

extern const unsigned char lil_scene_notes[]; /* a text, ended by 0 */

#endif
