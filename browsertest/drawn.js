// Compares what ECharts drew with the data that it was given, and with the
// still picture beneath. Evaluated by the tests; returns what is wrong, and how
// many charts, stepped lines and bars were looked at.
(() => {
  const faults = [];
  let charts = 0, steps = 0, bars = 0;
  const data = JSON.parse(document.getElementById('coldcase-charts').textContent);

  // The corners of a path, in px.
  function corners(path) {
    return [...path.getAttribute('d').matchAll(/[ML]\s*(-?[\d.e-]+)[ ,]+(-?[\d.e-]+)/g)].map(m => [+m[1], +m[2]]);
  }

  const near = (a, b) => Math.abs(a[0] - b[0]) <= 1 && Math.abs(a[1] - b[1]) <= 1;

  const numbers = svg => [...svg.querySelectorAll('text')].map(t => t.textContent.trim())
    .filter(t => /^[\d.,]+$/.test(t)).map(t => Number(t.replaceAll(',', '')));

  const same = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

  for (const { id, option } of data.charts) {
    const box = document.querySelector(`[data-chart="${id}"]`);
    const live = box && box.querySelector('.live');
    if (!live) { faults.push(`${id}: not drawn`); continue; }
    charts++;
    const drawn = echarts.getInstanceByDom(live);
    const svg = live.querySelector('svg'), still = box.querySelector('.still svg');
    const paths = [...svg.querySelectorAll('path')];

    option.series.forEach((series, index) => {
      const colour = series.color;
      if (colour && series.data.length && !still.querySelector(`[fill="${colour}"],[stroke="${colour}"]`)) {
        faults.push(`${id}: ${series.name}: ${colour} is not in the still picture`);
      }
      if (series.type !== 'line' || series.step !== 'end') return;
      steps++;
      const points = series.data.map(p => drawn.convertToPixel({ seriesIndex: index }, p.value));
      const line = paths.filter(p => p.getAttribute('stroke') === colour && p.getAttribute('fill') === 'none')
        .map(corners).find(c => c.length > 2 && near(c[0], points[0]) && near(c.at(-1), points.at(-1)));
      if (!line) { faults.push(`${id}: ${series.name}: no line from its first to its last point`); return; }
      // A rise to the next value at each point: every data point is a corner.
      const missing = points.filter(p => !line.some(c => near(c, p)));
      if (missing.length) faults.push(`${id}: ${series.name}: ${missing.length} of ${points.length} points are no corner of the line`);
      // ECharts merges moves of less than a pixel with the next one. A slope
      // that can be seen is a wrong curve: a plateau that is none.
      const slopes = line.slice(1).filter((c, i) => Math.abs(c[0] - line[i][0]) > 1 && Math.abs(c[1] - line[i][1]) > 1);
      if (slopes.length) faults.push(`${id}: ${series.name}: ${slopes.length} pieces of the step line are sloped`);
    });

    // One scale: both pictures have their plot area at the same place, and a
    // value stands at the same place in it.
    const sheet = still.viewBox.baseVal, grid = option.grid[0];
    const left = Number(grid.left), right = sheet.width - Number(grid.right);
    const top = Number(grid.top), bottom = sheet.height - Number(grid.bottom);
    for (const [name, axis, from, to] of [['x', option.xAxis[0], left, right], ['y', option.yAxis[0], bottom, top]]) {
      if (axis.type !== 'value') continue;
      for (const part of [0, 0.5, 1]) {
        const at = drawn.convertToPixel({ [name + 'AxisIndex']: 0 }, axis.min + part * (axis.max - axis.min));
        const want = from + part * (to - from);
        if (!(Math.abs(at - want) <= 1)) faults.push(`${id}: ${name}: a value stands at ${Math.round(at)} px, in the still picture at ${Math.round(want)}`);
      }
    }

    // Where the live value axis counts between its ends, the still one has the
    // same numbers.
    const have = numbers(still), here = numbers(svg);
    for (const axis of [option.xAxis, option.yAxis].flat()) {
      if (axis.type !== 'value' || !axis.minInterval || axis.axisLabel.show === false) continue;
      const alone = [];
      for (let n = 1; axis.min + n * axis.minInterval < axis.max; n++) {
        const tick = axis.min + n * axis.minInterval;
        if (here.some(v => same(v, tick)) && !have.some(v => same(v, tick))) alone.push(tick);
      }
      if (alone.length) faults.push(`${id}: the live axis counts ${alone.join(' ')}, the still one does not`);
    }

    // No bar is missing.
    option.series.forEach((series, index) => {
      if (series.type !== 'bar') return;
      bars += series.data.filter(d => d.value !== '-').length;
      const drawnBars = paths.filter(p => p.getAttribute('fill') === series.color).length;
      const want = series.data.filter(d => d.value !== '-' && (Array.isArray(d.value) ? d.value[1] : d.value) !== 0).length;
      if (drawnBars < want) faults.push(`${id}: ${series.name}: ${drawnBars} bars drawn of ${want}`);
    });
  }
  return { faults, charts, steps, bars };
})()
