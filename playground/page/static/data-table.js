// Sorting and paging for data tables, as in Slack.

function setUp(table) {
  const body = table.querySelector('tbody');
  const rows = [...body.rows];
  const pageSize = Number(table.dataset.pageSize);
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  let page = 0;
  let sorted = { column: -1, down: false };

  const bar = document.createElement('div');
  bar.className = 'pages';
  const label = document.createElement('span');
  const turn = (text, step) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'link';
    button.textContent = text;
    button.addEventListener('click', () => {
      page = Math.min(pages - 1, Math.max(0, page + step));
      show();
    });
    return button;
  };
  const back = turn('‹ Previous', -1);
  const on = turn('Next ›', 1);
  bar.append(back, label, on);
  if (pages > 1) table.append(bar);

  function show() {
    rows.forEach((row, index) => {
      row.hidden = index < page * pageSize || index >= (page + 1) * pageSize;
    });
    label.textContent = `${page + 1} of ${pages}`;
    back.disabled = page === 0;
    on.disabled = page === pages - 1;
  }

  for (const button of table.querySelectorAll('.sort')) {
    button.addEventListener('click', () => {
      const column = Number(button.dataset.column);
      sorted = { column, down: sorted.column === column ? !sorted.down : false };
      const key = (row) => row.cells[column].dataset.sort;
      rows.sort((one, other) => key(one).localeCompare(key(other), 'en', { numeric: true }) * (sorted.down ? -1 : 1));
      body.append(...rows);
      for (const head of table.querySelectorAll('thead th')) head.removeAttribute('aria-sort');
      button.closest('th').setAttribute('aria-sort', sorted.down ? 'descending' : 'ascending');
      page = 0;
      show();
    });
  }
  show();
}

export function enhanceDataTables(scope) {
  for (const table of scope.querySelectorAll('.data-table')) setUp(table);
}
