#include "terms/touch.h"

#include <math.h>
#include <stdio.h>

void lil_touch_sunk(lil_touch *most, double depth, double size, int own, int other)
{
    if (!(depth / size > most->sunk))
        return;
    most->sunk = depth / size;
    most->sunk_who = (lil_contact_id){ .own = own, .other = other };
}

/* A mass m that meets a spring k at the speed v goes v sqrt(m/k) deep. Half the thickness is the most that there
 * is; a tenth of it is what the certificate accepts (penetration_relative), so k = m (10 v / thickness)^2 is asked
 * for. At h omega = 0.3 per step still follows such a bounce (see h_omega_c). */
void lil_touch_ahead(lil_touch *most, double depth, double rate, double k, double mass, double thickness, int own,
                     int other)
{
    const double FOLLOWS = 0.3;
    double way = rate * most->step, speed = fabs(rate), half = thickness / 2, safe = thickness / 10;
    if (!(way > 0 && depth + way > 0 && half < INFINITY))
        return;
    bool alone = mass < INFINITY;
    double deep = alone ? hypot(fmax(depth, 0), speed * sqrt(mass / k)) : 0;
    double ahead = fmax(deep, depth + way) / half;
    if (!(ahead > most->ahead))
        return;
    most->ahead = ahead;
    most->ahead_speed = speed;
    most->ahead_thickness = thickness;
    most->ahead_stiffness = alone ? k * fmax(1, (deep / safe) * (deep / safe)) : INFINITY;
    most->ahead_step = fmin(half / speed, alone ? FOLLOWS * sqrt(mass / most->ahead_stiffness) : INFINITY);
    most->ahead_who = (lil_contact_id){ .own = own, .other = other };
}

void lil_party_name(const lil_party *party, int vertex, char *name, size_t room)
{
    if (party->first < 0)
        snprintf(name, room, "%s", party->name);
    else
        snprintf(name, room, "%s.%d", party->name, vertex - party->first);
}
