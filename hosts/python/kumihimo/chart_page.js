// The chart of a page that `kumihimo extract --chart FILE.html` writes. Its data is the JSON beside it (chart_page.py):
//
//   panels, one below the other > scales, at the left and at the right > series: candles, bars or a line, sorted by x
//
// x is in microseconds since 1970, or a row's number. All is drawn anew from `view`, the range of x that is shown.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("chart");
  const pen = canvas.getContext("2d");
  const LEFT = 84, TOP = 18, BOTTOM = 36, BETWEEN = 22, FONT = "12px system-ui, sans-serif";
  const scales = data.panels.flatMap((panel) => panel.scales);
  const series = scales.flatMap((scale) => scale.series);
  const right = data.panels.some((panel) => panel.scales.length > 1) ? LEFT : 16;

  let least = Infinity, most = -Infinity;
  for (const one of series) {
    if (one.x.length === 0) continue;
    least = Math.min(least, one.x[0]);
    most = Math.max(most, one.x[one.x.length - 1] + data.interval);
  }
  if (!(least <= most)) [least, most] = [0, 1];
  if (least === most) [least, most] = [least - 1, most + 1];
  const margin = (most - least) * 0.01;
  const all = [least - margin, most + margin];
  let view = [...all], mouse = null, grip = null;

  // ---- numbers and times as text

  // The first index whose x is not below the value.
  function at(xs, value) {
    let low = 0, high = xs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function ahead(x) {
    const list = data.offsets;
    let i = list.length - 1;
    while (i > 0 && list[i][0] > x) --i;
    return list.length === 0 ? 0 : list[i][1];
  }

  function clock(x) {
    const local = Math.round(x + ahead(x));
    const milliseconds = Math.floor(local / 1000);
    const text = new Date(milliseconds).toISOString();
    // Beyond the year 2255 a double has no single microseconds.
    const micro = String(Math.max(0, Math.min(999, local - milliseconds * 1000))).padStart(3, "0");
    return { date: text.slice(0, -14), time: text.slice(-13, -5), fraction: text.slice(-4, -1) + micro };
  }

  function moment(x) {
    if (!data.time) return String(Math.round(x));
    const c = clock(x);
    return `${c.date} ${c.time}${c.fraction === "000000" ? "" : "." + c.fraction.replace(/0+$/, "")}`;
  }

  function number(value) {
    return value === null || value === undefined ? "\u2014" : String(value);
  }

  // In powers of ten that a double does not hold itself.
  function scaled(value, power) {
    return power >= -300 ? value / 10 ** power : (value * 1e300) / 10 ** (power + 300);
  }

  function nice(rough) {
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough * 0.999) || rough;
  }

  function ticks(low, high, count) {
    const step = nice((high - low) / count), out = [];
    if (!(step > 0)) return out;
    for (let k = Math.ceil(low / step); k * step <= high && out.length < 50; ++k) out.push(k * step);
    const digits = Math.max(0, Math.min(20, -Math.floor(Math.log10(step) + 1e-9)));
    return out.map((value) => [value, value.toFixed(digits)]);
  }

  const SECOND = 1e6, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR = 365.25 * DAY;
  const STEPS = [1, 2, 5, 10, 15, 30].map((n) => n * SECOND).concat([1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
    [1, 2, 3, 6, 12].map((n) => n * HOUR), [1, 2, 7, 14].map((n) => n * DAY));

  function timeTicks(low, high, count) {
    const rough = (high - low) / count, out = [];
    if (rough > 14 * DAY) {
      const months = [1, 2, 3, 6, 12].find((n) => (n * YEAR) / 12 >= rough) || 12 * Math.ceil(nice(rough / YEAR));
      const [year, month] = clock(low).date.split("-").map(Number);
      for (let k = Math.floor((year * 12 + month - 1) / months); out.length < 50; ++k) {
        const day = new Date(0);
        day.setUTCFullYear(Math.floor((k * months) / 12), (k * months) % 12, 1);
        const x = day.getTime() * 1000 - ahead(day.getTime() * 1000);
        if (!(x <= high)) break;
        if (x >= low) out.push([x, clock(x).date.slice(0, months % 12 === 0 ? -6 : -3)]);
      }
      return out;
    }
    const step = rough < SECOND ? Math.max(1, nice(rough)) : STEPS.find((one) => one >= rough) || 14 * DAY;
    let before = "";
    for (let k = Math.ceil((low + ahead(low)) / step); out.length < 50; ++k) {
      const local = k * step, x = local - ahead(local - ahead(local));
      if (x > high) break;
      const c = clock(x);
      let text = step >= DAY ? c.date : step >= MINUTE ? c.time.slice(0, 5) : c.time;
      if (step < SECOND) text += "." + c.fraction.replace(/0+$/, "").padEnd(1, "0");
      if (step < DAY && c.date !== before) text = `${text}\n${c.date}`;
      before = c.date;
      out.push([x, text]);
    }
    return out;
  }

  // ---- what is shown

  function shown(one) {
    const from = at(one.x, view[0] - data.interval), to = at(one.x, view[1]);
    // A line comes from outside and goes there.
    return one.kind === "line" ? [Math.max(0, from - 1), Math.min(one.x.length, to + 1)] : [from, to];
  }

  function heights(scale) {
    let low = Infinity, high = -Infinity;
    const see = (value) => {
      if (value === null) return;
      const y = scaled(value, scale.power);
      low = Math.min(low, y);
      high = Math.max(high, y);
    };
    for (const one of scale.series) {
      const [from, to] = shown(one);
      for (let i = from; i < to; ++i) {
        if (one.kind === "candles") see(one.high[i]), see(one.low[i]);
        else see(one.y[i]);
      }
      if (one.kind === "bars") see(0);
    }
    if (!(low <= high)) return [0, 1];
    if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
    const room = (high - low) * 0.05;
    const bars = scale.series.some((one) => one.kind === "bars");
    return [bars && low === 0 ? 0 : low - room, bars && high === 0 ? 0 : high + room];
  }

  function boxes() {
    const height = canvas.clientHeight, panels = data.panels;
    const weights = panels.reduce((sum, panel) => sum + panel.weight, 0) || 1;
    const room = height - TOP - BOTTOM - BETWEEN * Math.max(0, panels.length - 1);
    let y = TOP;
    return panels.map((panel) => {
      const box = { x: LEFT, y, width: canvas.clientWidth - LEFT - right, height: (room * panel.weight) / weights };
      y += box.height + BETWEEN;
      return box;
    });
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, canvas.clientWidth * ratio);
    canvas.height = Math.max(1, canvas.clientHeight * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = FONT;
    const places = boxes();
    if (places.length === 0) return;
    const x = (value) => LEFT + ((value - view[0]) / (view[1] - view[0])) * places[0].width;
    const count = Math.max(2, Math.floor(places[0].width / 110));
    const marks = data.time ? timeTicks(view[0], view[1], count) : ticks(view[0], view[1], count);
    data.panels.forEach((panel, i) => drawPanel(panel, places[i], x, marks));
    const last = places[places.length - 1], below = last.y + last.height;
    pen.fillStyle = "#222";
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const [value, text] of marks) text.split("\n").forEach((line, k) => pen.fillText(line, x(value), below + 4 + 14 * k));
    pen.textAlign = "right";
    pen.fillText(data.x, canvas.clientWidth - 4, canvas.clientHeight - 14);
    drawMouse(places, x);
    document.getElementById("range").textContent = `${moment(Math.max(view[0], least))} \u2013 ${moment(Math.min(view[1], most))}`;
  }

  function drawPanel(panel, box, x, marks) {
    pen.lineWidth = 1;
    pen.strokeStyle = "#e4e4e4";
    pen.beginPath();
    for (const [value] of marks) pen.moveTo(x(value), box.y), pen.lineTo(x(value), box.y + box.height);
    pen.stroke();
    panel.scales.forEach((scale, side) => {
      const [low, high] = heights(scale);
      const y = (value) => box.y + box.height * (1 - (scaled(value, scale.power) - low) / (high - low));
      const edge = side === 0 ? box.x : box.x + box.width;
      pen.textBaseline = "middle";
      pen.textAlign = side === 0 ? "right" : "left";
      for (const [value, text] of ticks(low, high, Math.max(2, Math.floor(box.height / 40)))) {
        const level = box.y + box.height * (1 - (value - low) / (high - low));
        if (side === 0) pen.strokeStyle = "#e4e4e4", pen.beginPath(), pen.moveTo(box.x, level), pen.lineTo(box.x + box.width, level), pen.stroke();
        pen.fillStyle = scale.color;
        pen.fillText(text, edge + (side === 0 ? -6 : 6), level);
      }
      pen.fillStyle = scale.color;
      pen.textBaseline = "bottom";
      pen.textAlign = side === 0 ? "left" : "right";
      pen.fillText(scale.title, edge + (side === 0 ? 2 : -2), box.y - 3);
      pen.save();
      pen.beginPath();
      pen.rect(box.x, box.y - 1, box.width, box.height + 2);
      pen.clip();
      for (const one of scale.series) ({ candles: drawCandles, bars: drawBars, line: drawLine })[one.kind](one, x, y);
      pen.restore();
    });
    pen.strokeStyle = "#888";
    pen.strokeRect(box.x, box.y, box.width, box.height);
  }

  // From where to where an interval's body reaches.
  function body(one, i, x) {
    const from = x(one.x[i]), width = x(one.x[i] + data.interval) - from;
    return [from + width * 0.1, Math.max(1, width * 0.8), from + width / 2];
  }

  // The middle of a pixel, so that a line of one has its color.
  const crisp = (value) => Math.floor(value) + 0.5;

  function drawCandles(one, x, y) {
    const [from, to] = shown(one);
    for (let i = from; i < to; ++i) {
      if (one.open[i] === null) continue;
      const rises = one.close[i] >= one.open[i], [start, width, middle] = body(one, i, x);
      const top = y(Math.max(one.open[i], one.close[i])), bottom = y(Math.min(one.open[i], one.close[i]));
      pen.strokeStyle = pen.fillStyle = rises ? data.rising : data.falling;
      pen.beginPath();
      pen.moveTo(crisp(middle), y(one.high[i])), pen.lineTo(crisp(middle), top);
      pen.moveTo(crisp(middle), bottom), pen.lineTo(crisp(middle), y(one.low[i]));
      pen.stroke();
      if (rises && width > 3) pen.strokeRect(crisp(start), crisp(top), Math.round(width), Math.round(bottom - top));
      else pen.fillRect(Math.round(start), Math.round(top), Math.max(1, Math.round(width)), Math.max(1, Math.round(bottom - top)));
    }
  }

  function drawBars(one, x, y) {
    const [from, to] = shown(one);
    pen.fillStyle = one.color;
    for (let i = from; i < to; ++i) {
      if (one.y[i] === null) continue;
      const [start, width] = body(one, i, x), level = y(one.y[i]), zero = y(0);
      pen.fillRect(start, Math.min(level, zero), width, Math.abs(zero - level));
    }
  }

  function drawLine(one, x, y) {
    const [from, to] = shown(one);
    const place = (i) => [x(one.x[i] + data.interval / 2), y(one.y[i])];
    pen.strokeStyle = pen.fillStyle = one.color;
    pen.beginPath();
    let open = false;
    for (let i = from; i < to; ++i) {
      if (one.y[i] === null) {
        open = false;
        continue;
      }
      const [left, top] = place(i);
      if (open) pen.lineTo(left, top);
      else pen.moveTo(left, top);
      open = true;
    }
    pen.stroke();
    // No line leads to a point between two gaps.
    const empty = (i) => i < 0 || i >= one.x.length || one.y[i] === null;
    for (let i = from; i < to; ++i) {
      if (empty(i) || !empty(i - 1) || !empty(i + 1)) continue;
      const [left, top] = place(i);
      pen.beginPath();
      pen.arc(left, top, 2, 0, 7);
      pen.fill();
    }
  }

  // ---- the mouse

  // The point that the mouse means: of intervals the one that it is in, else the nearest. -1: none.
  function under(one, value) {
    let i = at(one.x, value);
    if (data.interval !== 0) {
      if (i === one.x.length || one.x[i] > value) --i;
      return i >= 0 && value < one.x[i] + data.interval ? i : -1;
    }
    if (i === one.x.length || (i > 0 && value - one.x[i - 1] < one.x[i] - value)) --i;
    return i;
  }

  function drawMouse(places, x) {
    const readout = document.getElementById("values");
    readout.replaceChildren();
    const say = (parts) => {
      for (const [color, text] of parts) {
        const span = document.createElement("span");
        span.style.color = color;
        span.textContent = text;
        readout.append(span);
      }
    };
    if (mouse === null) return say(series.map((one) => [one.color, one.name]));
    const value = view[0] + ((mouse - LEFT) / places[0].width) * (view[1] - view[0]);
    const parts = [];
    let nearest = null;
    for (const one of series) {
      const i = under(one, value);
      if (i >= 0 && (nearest === null || Math.abs(one.x[i] - value) < Math.abs(nearest - value))) nearest = one.x[i];
      if (one.kind !== "candles") parts.push([one.color, `${one.name} ${number(i < 0 ? null : one.y[i])}`]);
      else if (i < 0) parts.push(["#222", `${one.name} \u2014`]);
      else
        parts.push([one.close[i] >= one.open[i] ? data.rising : data.falling,
          `${one.name} open ${number(one.open[i])} high ${number(one.high[i])} low ${number(one.low[i])} close ${number(one.close[i])}`]);
    }
    parts.unshift(["#222", moment(nearest === null ? value : nearest)]);
    say(parts);
    const line = nearest === null ? mouse : x(nearest + data.interval / 2);
    pen.strokeStyle = "#666";
    pen.setLineDash([3, 3]);
    pen.beginPath();
    for (const box of places) pen.moveTo(line, box.y), pen.lineTo(line, box.y + box.height);
    pen.stroke();
    pen.setLineDash([]);
  }

  function show(from, to) {
    const width = Math.min(to - from, all[1] - all[0]);
    const start = Math.min(Math.max(from, all[0]), all[1] - width);
    view = [start, start + width];
    draw();
  }

  function zoom(factor, about) {
    const smallest = data.interval !== 0 ? data.interval * 2 : Math.max((all[1] - all[0]) * 1e-9, 2);
    const width = Math.min(Math.max((view[1] - view[0]) * factor, smallest), all[1] - all[0]);
    const share = (about - view[0]) / (view[1] - view[0]);
    show(about - width * share, about - width * share + width);
  }

  const inside = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const meant = (pixel) => view[0] + ((pixel - LEFT) / Math.max(1, canvas.clientWidth - LEFT - right)) * (view[1] - view[0]);

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-500, Math.min(500, event.deltaY)) * 0.002), meant(inside(event)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    grip = { pixel: inside(event), view: [...view] };
  });
  window.addEventListener("pointerup", () => (grip = null));
  canvas.addEventListener("pointermove", (event) => {
    mouse = inside(event);
    if (grip === null) return draw();
    const by = ((grip.pixel - mouse) / Math.max(1, canvas.clientWidth - LEFT - right)) * (grip.view[1] - grip.view[0]);
    show(grip.view[0] + by, grip.view[1] + by);
  });
  canvas.addEventListener("pointerleave", () => {
    mouse = null;
    draw();
  });
  canvas.addEventListener("dblclick", () => show(...all));
  canvas.addEventListener("keydown", (event) => {
    const width = view[1] - view[0], middle = view[0] + width / 2;
    const keys = {
      "+": () => zoom(0.7, middle), "-": () => zoom(1 / 0.7, middle), "0": () => show(...all),
      ArrowLeft: () => show(view[0] - width / 10, view[1] - width / 10), ArrowRight: () => show(view[0] + width / 10, view[1] + width / 10),
    };
    if (keys[event.key]) keys[event.key](), event.preventDefault();
  });
  window.addEventListener("resize", draw);
  draw();
})();
