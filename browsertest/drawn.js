// Compares what ECharts drew with the data that it was given, and with the
// still picture beneath. Evaluated by the tests; returns what is wrong, and how
// many charts and stepped lines were looked at.
(() => {
  const faults = [];
  let charts = 0, steps = 0;
  const data = JSON.parse(document.getElementById('coldcase-charts').textContent);
  for (const d of document.querySelectorAll('details')) d.open = true;

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

    // One scale: where the live value axis counts between its ends, the still
    // one has the same numbers.
    const value = [option.xAxis, option.yAxis].flat().find(a => a.type === 'value');
    if (value && value.minInterval) {
      const have = new Set(numbers(still));
      const ticks = [];
      for (let n = 1; value.min + n * value.minInterval < value.max; n++) ticks.push(value.min + n * value.minInterval);
      const here = numbers(svg);
      const alone = ticks.filter(t => here.some(n => same(n, t)) && ![...have].some(n => same(n, t)));
      if (alone.length) faults.push(`${id}: the live axis counts ${alone.join(' ')}, the still one does not`);
    }
  }
  return { faults, charts, steps };
})()
