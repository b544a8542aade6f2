/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which writing system a character beyond ASCII belongs to, by the block that it is in; signs are no writing system.
 *
 * Source: Unicode 16, Blocks.txt. All blocks begin at a multiple of 16.
 */
#include "profrender/data_frame.h"

/* From here, in sixteens, to the next one. */
struct block {
    uint16_t first;
    uint8_t script;
};

static const struct block blocks[] = {
    {0x0008, PR_SCRIPT_CONTROLS},   {0x000A, PR_SCRIPT_SIGNS},      {0x000C, PR_SCRIPT_LATIN},
    {0x0030, PR_SCRIPT_MARKS},      {0x0037, PR_SCRIPT_GREEK},      {0x0040, PR_SCRIPT_CYRILLIC},
    {0x0053, PR_SCRIPT_ARMENIAN},   {0x0059, PR_SCRIPT_HEBREW},     {0x0060, PR_SCRIPT_ARABIC},
    {0x0070, PR_SCRIPT_OTHER},      {0x0075, PR_SCRIPT_ARABIC},     {0x0078, PR_SCRIPT_OTHER},
    {0x0087, PR_SCRIPT_ARABIC},     {0x0090, PR_SCRIPT_DEVANAGARI}, {0x0098, PR_SCRIPT_BENGALI},
    {0x00A0, PR_SCRIPT_OTHER},      {0x00B8, PR_SCRIPT_TAMIL},      {0x00C0, PR_SCRIPT_TELUGU},
    {0x00C8, PR_SCRIPT_OTHER},      {0x00E0, PR_SCRIPT_THAI},       {0x00E8, PR_SCRIPT_OTHER},
    {0x010A, PR_SCRIPT_GEORGIAN},   {0x0110, PR_SCRIPT_HANGUL},     {0x0120, PR_SCRIPT_OTHER},
    {0x01C8, PR_SCRIPT_CYRILLIC},   {0x01C9, PR_SCRIPT_GEORGIAN},   {0x01CC, PR_SCRIPT_OTHER},
    {0x01D0, PR_SCRIPT_LATIN},      {0x01DC, PR_SCRIPT_MARKS},      {0x01E0, PR_SCRIPT_LATIN},
    {0x01F0, PR_SCRIPT_GREEK},      {0x0200, PR_SCRIPT_SIGNS},      {0x02C0, PR_SCRIPT_OTHER},
    {0x02C6, PR_SCRIPT_LATIN},      {0x02C8, PR_SCRIPT_OTHER},      {0x02DE, PR_SCRIPT_CYRILLIC},
    {0x02E0, PR_SCRIPT_SIGNS},      {0x02E8, PR_SCRIPT_HAN},        {0x0300, PR_SCRIPT_SIGNS},
    {0x0304, PR_SCRIPT_KANA},       {0x0310, PR_SCRIPT_OTHER},      {0x0313, PR_SCRIPT_HANGUL},
    {0x0319, PR_SCRIPT_HAN},        {0x031F, PR_SCRIPT_KANA},       {0x0320, PR_SCRIPT_SIGNS},
    {0x0340, PR_SCRIPT_HAN},        {0x04DC, PR_SCRIPT_SIGNS},      {0x04E0, PR_SCRIPT_HAN},
    {0x0A00, PR_SCRIPT_OTHER},      {0x0A64, PR_SCRIPT_CYRILLIC},   {0x0A6A, PR_SCRIPT_OTHER},
    {0x0A72, PR_SCRIPT_LATIN},      {0x0A80, PR_SCRIPT_OTHER},      {0x0A8E, PR_SCRIPT_DEVANAGARI},
    {0x0A90, PR_SCRIPT_OTHER},      {0x0A96, PR_SCRIPT_HANGUL},     {0x0A98, PR_SCRIPT_OTHER},
    {0x0AB3, PR_SCRIPT_LATIN},      {0x0AB7, PR_SCRIPT_OTHER},      {0x0AC0, PR_SCRIPT_HANGUL},
    {0x0D80, PR_SCRIPT_UNKNOWN},    {0x0F90, PR_SCRIPT_HAN},        {0x0FB0, PR_SCRIPT_LATIN},
    {0x0FB1, PR_SCRIPT_HEBREW},     {0x0FB5, PR_SCRIPT_ARABIC},     {0x0FE0, PR_SCRIPT_MARKS},
    {0x0FE1, PR_SCRIPT_SIGNS},      {0x0FE7, PR_SCRIPT_ARABIC},     {0x0FF0, PR_SCRIPT_SIGNS},
    {0x0FF2, PR_SCRIPT_LATIN},      {0x0FF6, PR_SCRIPT_KANA},       {0x0FFA, PR_SCRIPT_HANGUL},
    {0x0FFE, PR_SCRIPT_SIGNS},      {0x1000, PR_SCRIPT_OTHER},      {0x1B00, PR_SCRIPT_KANA},
    {0x1B17, PR_SCRIPT_OTHER},      {0x1D00, PR_SCRIPT_SIGNS},      {0x1D80, PR_SCRIPT_OTHER},
    {0x1F00, PR_SCRIPT_SIGNS},      {0x2000, PR_SCRIPT_HAN},        {0x3400, PR_SCRIPT_UNKNOWN}};

enum pr_data_script pr_data_script_of(uint32_t character)
{
    size_t low = 0, high = sizeof blocks / sizeof *blocks;
    if (character < 0x80)
        return PR_SCRIPT_COUNT;
    if (character == 0xD7 || character == 0xF7)
        return PR_SCRIPT_SIGNS;
    if (character == 0xFFFD)
        return PR_SCRIPT_UNKNOWN;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (blocks[middle].first <= character >> 4)
            low = middle;
        else
            high = middle;
    }
    return (enum pr_data_script)blocks[low].script;
}

const char *pr_data_script_name(enum pr_data_script script)
{
    static const char *const names[PR_SCRIPT_COUNT] = {
        "latin", "greek",  "cyrillic", "armenian", "georgian", "hebrew", "arabic", "devanagari", "bengali", "tamil",
        "telugu", "thai",  "hangul",   "kana",     "han",      "other",  "marks",  "signs",      "controls", "unknown"};
    return script < PR_SCRIPT_COUNT ? names[script] : "";
}
