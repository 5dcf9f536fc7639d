#include "terms/tet_mix.h"

/* s is the cube root of 1/4 or of 1/8; r = 4 t, with t^2 = 1/80, and t the roots of z^2 - u z + (u^2 - 1/40)/2, u =
 * 0.0582... the root of u^3 - 3 u/40 + 1/240 */
#define MIX_(r, s)                                                                                                   \
    {                                                                                                                \
        4 * (r) * (s), (1 - (r)) * (s), s                                                                            \
    }
const lil_mix lil_mix_linear = { 1, 0, 0 };
const lil_mix lil_mix_straight = MIX_(0.44721359549995794, 0.62996052494743658);
const lil_mix lil_mix_curved[2] = { MIX_(0.5481728219499559, 0.5), MIX_(-0.3154465997208116, 0.5) };
const lil_mix lil_mix_centre = MIX_(0., 0.62996052494743658);

const int lil_tet_node[4][4] = { { 0, 4, 6, 7 }, { 4, 1, 5, 8 }, { 6, 5, 2, 9 }, { 7, 8, 9, 3 } };

void lil_mix_matrix(const lil_mix *mix, int k, const double point[144], double nodes[900])
{
    double c[4][4];
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 4; l++)
            c[i][l] = (l == k ? mix->own : 0) + mix->all - (l == i ? mix->ends : 0);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 4; l++)
            for (int j = 0; j < 4; j++)
                for (int m = 0; m < 4; m++) {
                    double w = c[i][l] * c[j][m];
                    double *to = nodes + 90 * lil_tet_node[i][l] + 3 * lil_tet_node[j][m];
                    const double *from = point + 36 * i + 3 * j;
                    for (int e = 0; e < 3; e++)
                        for (int f = 0; f < 3; f++)
                            to[30 * e + f] += w * from[12 * e + f];
                }
}
