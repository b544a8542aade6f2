// SPDX-License-Identifier: Apache-2.0
/*
 * Properties of our own, which get short names in the page, as esbuild gives variables: over twelve kilobytes less in
 * each card. Only names that nobody else knows by them: where the browser, JSON or a dictionary has the same word, the
 * sources have it in quotes, as in input['select'](), and it stays. A string that names a property of the state has a
 * mark, and is shortened with it: `/* @__KEY__ *\/ 'zoom'`. `node tests/card/support/property_names.mjs` finds them
 * by the types of the sources, and a test holds the list to it.
 */
const NAMES = `
    KERNEL large NATIVE PYTHON across address after against allocator allocators amount around away axis bar base
    baseMetric baseSums before begin begins below best bin bins bound boxUnder byAllocator byHand byOwner byPerson bytes
    byThread called callees caller callers callersOfFocus canvas cellNs chain chains chances change changes charPx
    charWidth childrenOf choice colour colours columnPx columns comparison content copied count countName createMeeting
    createVerdict csv cursor cursorMs descending describe difference dot drag draw drop duration during duringBefore
    edge element elements end endMs ends entry exact extra extras fact facts failure field file fileWidth finish fit
    flame flash flat folded folds foot format frame frames function functions gather graph gridNs group grow growth halo
    head heap heapPeak heat heaviest held hiddenRows hide highest history hit host hover hues image ink isApart isBand
    isBlank isChosen isLast isOn isOpen isSandwich isShared isShown isSteady isTable isUpward items kept kind label
    lacksClock lane lanes lanesHeight lastOf latest layers layout layOut layoutFor leaf least lent less lessLine level
    life limit line lines link list lists look makeGraph many marginPx markPeaks matchList mean meeting members memory
    metric metricAt metricNumber metrics mineSelf minWidth mono more moreLine most moveEdge moves msAt name names narrow
    nextView node nodeOfProfile note number ofFrame ofNode onBusy onChange onHover only onResize order origin other
    others outline own owner ownerName owners ownHere package packages paint paintLife pair parent part partial partOf
    parts path pathChars paths pattern peak peakBytes peakMs phases place plain plot pointed profile put query quiet
    ramp read readers recolour recorded reset resident resolutionNs reveal right ring rootLabel row rowAt rowStart run
    runner sans say scroll scrollToRoot search seconds select selected self selfCount series setEdge settle share shares
    short shown showNode showPair side sides slotNs slots smaller source sources span spanOf stack startMs state states
    step steps stop stretches strings strung sum sums tab table tabs tabsOfPair tall tell tellBusy text textsOf theme
    thread threadInTime threads through time timeline timeOf toMs toPeak total totalCount toValue toX toY turned unit
    unknownFrom unselect update upTo upward view wanted way weights what whole wide widthOf window without withoutStack
    words write xOf yOf zoom zoomCallers zoomOfCallers zoomTo
`;

export const SHORTENED = NAMES.trim().split(/\s+/);
