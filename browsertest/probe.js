// Looks at the open page and returns what is wrong with it, as a list of
// sentences. Evaluated by the tests; nothing of it is in the product.
(() => {
  const faults = [];

  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) {
    const wide = [...document.body.querySelectorAll('*')]
      .filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !scrollsInside(e))
      .slice(0, 3).map(describe);
    faults.push(`scrolls sideways: ${root.scrollWidth} px in ${root.clientWidth} px: ${wide.join(', ')}`);
  }

  // The part of an element that its scrolling ancestors show.
  function scrollsInside(e) {
    for (let p = e.parentElement; p; p = p.parentElement) {
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX)) return true;
    }
    return false;
  }

  function describe(e) {
    return e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') +
      (e.getAttribute('class') ? '.' + e.getAttribute('class').split(' ')[0] : '') +
      ' "' + (e.textContent || '').trim().slice(0, 30) + '"';
  }

  function shown(e) {
    const r = e.getBoundingClientRect(), s = getComputedStyle(e);
    return r.width > 0 && r.height > 0 && s.visibility === 'visible' && s.display !== 'none';
  }

  for (const f of document.querySelectorAll('figure')) {
    const charts = [...f.querySelectorAll('svg')].filter(shown);
    if (charts.length === 0) { faults.push('figure without a visible chart: ' + describe(f)); continue; }
    if (charts.length > 1) faults.push('figure with two charts at once: ' + describe(f));
    for (const c of charts) {
      const r = c.getBoundingClientRect();
      if (r.width < 200 || r.height < 40) faults.push(`chart of ${Math.round(r.width)} x ${Math.round(r.height)} px: ` + describe(f));
    }
  }

  // Text over text. Boxes of glyphs include leading, so a touch of one pixel
  // on each side is allowed.
  for (const svg of document.querySelectorAll('svg')) {
    if (!shown(svg)) continue;
    const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() && shown(t) && getComputedStyle(t).opacity !== '0');
    const boxes = texts.map(t => t.getBoundingClientRect());
    for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
      const a = boxes[i], b = boxes[j];
      const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (w > 1 && h > 0.25 * Math.min(a.height, b.height)) {
        faults.push(`text over text: "${texts[i].textContent.trim()}" and "${texts[j].textContent.trim()}" in ` +
          describe(svg.closest('figure') || svg));
      }
    }
  }
  return faults;
})()
