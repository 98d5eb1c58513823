// The script of the report page: what is told under the pointer, and which search is shown. All plots are there
// without it.
(function () {
  'use strict';
  var tip = document.getElementById('tip'), told = new Map(), now = null;

  // The titles of columns become our own tips; those of whole plots would get in their way and become labels.
  document.querySelectorAll('svg rect > title').forEach(function (title) {
    told.set(title.parentNode, title.textContent);
    title.remove();
  });
  document.querySelectorAll('svg > title').forEach(function (title) {
    title.parentNode.setAttribute('aria-label', title.textContent);
    title.parentNode.removeAttribute('aria-labelledby');
    title.remove();
  });

  function element(name, text) {
    var made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function show(mark, x, y) {
    if (mark !== now) {
      hide();
      now = mark;
      told.get(mark).split('\n').forEach(function (line, i) {
        var parts = line.split('\t'), row = element(i ? 'div' : 'b', i ? '' : line);
        if (i) parts.forEach(function (part) { row.append(element('span', part)); });
        tip.append(row);
      });
      mark.classList.add('on');
      tip.hidden = false;
    }
    var width = tip.offsetWidth, height = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(x + 16, innerWidth - width - 8)) + 'px';
    tip.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 14) : y + 18) + 'px';
  }

  function hide() {
    if (now && !now.classList.contains('picked')) now.classList.remove('on');
    now = null;
    tip.hidden = true;
    tip.textContent = '';
  }

  function follow(event) {
    var mark = event.target.nodeType === 1 && event.target.closest('rect');
    if (mark && told.has(mark)) show(mark, event.clientX, event.clientY);
    else hide();
  }
  document.addEventListener('pointermove', follow);
  document.addEventListener('pointerdown', follow);
  document.addEventListener('scroll', hide, { passive: true, capture: true });
  document.documentElement.addEventListener('pointerleave', hide);

  // The same by keyboard: arrows walk over the columns of the plot that has the focus.
  document.querySelectorAll('main svg[role=img]').forEach(function (svg) {
    var marks = Array.from(svg.querySelectorAll('rect')).filter(function (mark) { return told.has(mark); });
    if (!marks.length) return;
    svg.tabIndex = 0;
    svg.addEventListener('keydown', function (event) {
      var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], at = marks.indexOf(now);
      if (event.key === 'Escape') hide();
      if (event.key === 'Enter' && at >= 0) marks[at].dispatchEvent(new MouseEvent('click', { bubbles: true }));
      if (!step) return;
      event.preventDefault();
      var mark = marks[Math.max(0, Math.min(marks.length - 1, at < 0 && step < 0 ? marks.length - 1 : at + step))];
      var box = mark.getBoundingClientRect();
      show(mark, box.left + box.width / 2, box.top + Math.min(box.height / 2, 60));
    });
    svg.addEventListener('blur', hide);
  });

  // Which search is shown.
  document.querySelectorAll('.kind').forEach(function (kind) {
    var select = kind.querySelector('.chooser select');
    if (!select) return;
    var buttons = kind.querySelectorAll('.chooser button');
    kind.querySelector('.chooser').hidden = false;

    function choose(search) {
      select.value = search;
      kind.querySelectorAll('.search').forEach(function (one) { one.hidden = one.dataset.s !== search; });
      kind.querySelectorAll('.line').forEach(function (line) {
        line.classList.toggle('on', line.dataset.s === search);
        if (line.dataset.s === search) line.parentNode.append(line); // above the others
      });
      kind.querySelectorAll('.pick').forEach(function (pick) {
        pick.classList.toggle('on', pick.dataset.s === search);
        pick.classList.toggle('picked', pick.dataset.s === search);
      });
      buttons[0].disabled = select.selectedIndex === 0;
      buttons[1].disabled = select.selectedIndex === select.options.length - 1;
    }
    select.addEventListener('change', function () { choose(select.value); });
    buttons.forEach(function (button) {
      button.addEventListener('click', function () {
        var option = select.options[select.selectedIndex + Number(button.dataset.go)];
        if (option) choose(option.value);
      });
    });
    kind.addEventListener('click', function (event) {
      var pick = event.target.closest('.pick');
      if (pick) choose(pick.dataset.s);
    });
    choose(select.value);
  });
})();
