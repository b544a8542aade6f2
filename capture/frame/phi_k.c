/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table that a normal distribution with correlation rho = sin(angle) has differs from that without one, cell by
 * cell, by an integral over the angle (Plackett), whose integrand is smooth but near a right angle, where it changes
 * over distances as small as what is left to it: so it is summed in panels, each of which comes four times closer.
 */
#include "capture/frame/contingency.h"

#include <math.h>
#include <string.h>

enum { POINTS = PR_CODES + 1, HALF = 8, PANELS = 11, MOST_STEPS = 60 };
static const double reach = 5, right_angle = 1.57079632679489661923, two_pi = 6.28318530717958647693;

/* Gauss and Legendre's rule of 16 points: those above the middle, and their weights. */
static const double nodes[HALF] = {0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438,
                                   0.755404408355003,   0.8656312023878318, 0.9445750230732326,  0.9894009349916499};
static const double weights[HALF] = {0.18945061045506864, 0.18260341504492364,  0.16915651939500265,
                                     0.1495959888165767,  0.12462897125553407,  0.0951585116824926,
                                     0.062253523938647456, 0.027152459411754176};

/* Both axes, and the sums up to an angle at each corner of their cells. */
struct grid {
    unsigned columns, rows;
    double x[POINTS], y[POINTS];
    double in_column[PR_CODES], in_row[PR_CODES]; /* share of the distribution */
    double sums[POINTS * POINTS], more[POINTS * POINTS];
};

static double below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static void set_axis(double *points, double *shares, unsigned bins)
{
    for (unsigned i = 0; i <= bins; i++)
        points[i] = -reach + 2 * reach * i / bins;
    for (unsigned i = 0; i < bins; i++) { /* from the nearer end, where no digits are lost */
        const double low = points[i], high = points[i + 1];
        shares[i] = low > 0 ? below(-low) - below(-high) : below(high) - below(low);
    }
}

static void set_grid(struct grid *grid, unsigned columns, unsigned rows)
{
    grid->columns = columns;
    grid->rows = rows;
    set_axis(grid->x, grid->in_column, columns);
    set_axis(grid->y, grid->in_row, rows);
    memset(grid->sums, 0, sizeof grid->sums);
}

/* The integrand at an angle, times WEIGHT, at each corner of the lower half of the rows; the other is its mirror. */
static void add_angle(struct grid *grid, double angle, double weight)
{
    const double rho = sin(angle), scale = -0.5 / (cos(angle) * cos(angle));
    for (unsigned r = 0; r <= grid->rows / 2; r++) {
        double *row = grid->more + (size_t)r * (grid->columns + 1);
        const double y = grid->y[r];
        for (unsigned c = 0; c <= grid->columns; c++) {
            const double x = grid->x[c];
            row[c] += weight * exp((x * x + y * y - 2 * rho * x * y) * scale);
        }
    }
}

/* What the corners gain FROM an angle TO another, into `more`. */
static void integrate(struct grid *grid, double from, double to)
{
    const double middle = (from + to) / 2, half = (to - from) / 2;
    const unsigned last = (grid->columns + 1) * (grid->rows + 1) - 1;
    memset(grid->more, 0, (last + 1) * sizeof *grid->more);
    for (unsigned i = 0; i < HALF; i++) {
        add_angle(grid, middle - half * nodes[i], weights[i] * half / two_pi);
        add_angle(grid, middle + half * nodes[i], weights[i] * half / two_pi);
    }
    for (unsigned i = (grid->rows / 2 + 1) * (grid->columns + 1); i <= last; i++)
        grid->more[i] = grid->more[last - i];
}

static void keep_more(struct grid *grid)
{
    for (unsigned i = 0; i < (grid->columns + 1) * (grid->rows + 1); i++)
        grid->sums[i] += grid->more[i];
}

/* chi2 of one pair, with what is in `more`. */
static double chi2_of(const struct grid *grid)
{
    const unsigned width = grid->columns + 1;
    double sum = 0;
    for (unsigned r = 0; r < grid->rows; r++)
        for (unsigned c = 0; c < grid->columns; c++) {
            const unsigned at = r * width + c;
            const double low = (grid->sums[at + 1] + grid->more[at + 1]) - (grid->sums[at] + grid->more[at]);
            const double high = (grid->sums[at + width + 1] + grid->more[at + width + 1]) -
                                (grid->sums[at + width] + grid->more[at + width]);
            sum += (high - low) * (high - low) / (grid->in_column[c] * grid->in_row[r]);
        }
    return sum;
}

/* The same where rho is 1: all of the distribution is where both are equal. */
static double highest_chi2(const struct grid *grid)
{
    double sum = 0;
    for (unsigned r = 0; r < grid->rows; r++)
        for (unsigned c = 0; c < grid->columns; c++) {
            const double from = fmax(grid->x[c], grid->y[r]), to = fmin(grid->x[c + 1], grid->y[r + 1]);
            const double without = grid->in_column[c] * grid->in_row[r];
            const double cell = from >= to ? 0 : from > 0 ? below(-from) - below(-to) : below(to) - below(from);
            sum += (cell - without) * (cell - without) / without;
        }
    return sum;
}

static double chi2_to(struct grid *grid, double from, double to)
{
    integrate(grid, from, to);
    return chi2_of(grid);
}

/* Between FROM, where chi2 is LOW, and TO, where it is HIGH: by the rule of Illinois. */
static double angle_of(struct grid *grid, double from, double to, double low, double high, double wanted)
{
    const double start = from;
    double below_it = low - wanted, above_it = high - wanted;
    int side = 0;
    for (unsigned step = 0; step < MOST_STEPS && to - from > 1e-13 * to; step++) {
        const double angle = (from * above_it - to * below_it) / (above_it - below_it);
        const double at = chi2_to(grid, start, angle) - wanted;
        if (fabs(at) <= 1e-13 * wanted)
            return angle;
        if (at < 0) {
            from = angle;
            below_it = at;
            above_it *= side < 0 ? 0.5 : 1;
            side = -1;
        } else {
            to = angle;
            above_it = at;
            below_it *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    return (from + to) / 2;
}

static double end_of_panel(unsigned panel)
{
    return right_angle * (1 - pow(0.25, panel + 1));
}

/* The rho of which the table has chi2 WANTED, for each pair. */
static double rho_of(struct grid *grid, double wanted)
{
    double from = 0, low = 0;
    for (unsigned panel = 0; panel < PANELS; panel++) {
        const double to = end_of_panel(panel), high = chi2_to(grid, from, to);
        if (high >= wanted)
            return sin(angle_of(grid, from, to, low, high, wanted));
        keep_more(grid);
        from = to;
        low = high;
    }
    return 1;
}

/* The functions of mathematics of two machines differ in their last digit, and documents do not. */
static double nine_places(double rho)
{
    return round(rho * 1e9) / 1e9;
}

double pr_phi_k(const struct pr_contingency *table)
{
    struct grid grid;
    const double count = (double)table->count, noise = ((double)table->rows - 1) * ((double)table->columns - 1);
    if (table->rows < 2 || table->columns < 2)
        return NAN;
    const double most = count * (table->rows < table->columns ? table->rows - 1 : table->columns - 1);
    if (table->chi2 <= noise)
        return 0;
    if (table->chi2 >= most * (1 - 1e-14))
        return 1;
    set_grid(&grid, table->columns, table->rows);
    return nine_places(rho_of(&grid, (table->chi2 - noise) / (most - noise) * highest_chi2(&grid)));
}

double pr_normal_chi2(double rho, unsigned columns, unsigned rows)
{
    struct grid grid;
    double from = 0;
    set_grid(&grid, columns, rows);
    if (rho >= 1)
        return highest_chi2(&grid);
    for (unsigned panel = 0; end_of_panel(panel) < asin(rho) && panel < PANELS; panel++) {
        integrate(&grid, from, end_of_panel(panel));
        keep_more(&grid);
        from = end_of_panel(panel);
    }
    return chi2_to(&grid, from, asin(rho));
}
