/* What a trajectory file has of a run that does not change: its world, what a shot was, who is drawn. */
#include "record/file/shot_tables.h"
#include "scene/run.h"

lil_status lil_run_tables(lil_run *run, lil_recorder_def *rd)
{
    const lil_world *bs = run->system.bodies;
    const lil_shot *shot = run->shot.shot;
    lil_table *tables =
        LIL_NEW(&run->arena, lil_table,
                lil_world_record_tables_max(&run->world) + (shot ? lil_shot_tables_max(shot) : 0) + 1);
    lil_label *labels = LIL_NEW(&run->arena, lil_label, (bs ? bs->count : 0) + 1);
    if (!tables || !labels)
        return lil_fail_memory(run->ctx);
    if (bs)
        LIL_TRY(lil_world_record_tables(&run->world, tables, labels, rd));
    if (run->up == 'y')
        labels[rd->label_count++] = (lil_label){ "up", "y" };
    if (shot)
        LIL_TRY(lil_shot_tables(shot, &run->arena, tables, &rd->table_count));
    if (run->draw.link_count)
        tables[rd->table_count++] = (lil_table){ "links", run->draw.link_count, 2, NULL, run->draw.links[0] };
    rd->tables = tables;
    rd->labels = labels;
    rd->points = run->draw.names;
    rd->point_count = run->draw.count;
    return LIL_OK;
}
