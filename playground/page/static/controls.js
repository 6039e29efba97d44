// Reads and restores form controls, with values as Slack names them.

/** The value of a control: a string, several strings, seconds, or null if it's empty. */
export function readControl(control) {
  if (control.matches('.boxes')) {
    const chosen = [...control.querySelectorAll('input:checked')].map((box) => box.value);
    return control.dataset.type === 'radio_buttons' ? (chosen[0] ?? null) : chosen;
  }
  if (control.matches('select[multiple]')) return [...control.selectedOptions].map((option) => option.value);
  if (control.value === '') return null;
  if (control.type === 'datetime-local') return Math.floor(new Date(control.value).getTime() / 1000);
  return control.value;
}

function controlsIn(scope) {
  return [...scope.querySelectorAll('[data-action]')].filter((control) => !control.matches('button, a, .overflow'));
}

/** Everything chosen or typed within an element, by action id. */
export function collectChoices(scope) {
  const choices = {};
  for (const control of controlsIn(scope)) choices[control.dataset.action] = readControl(control);
  return choices;
}

export function restoreChoices(scope, choices) {
  for (const control of controlsIn(scope)) {
    const choice = choices[control.dataset.action];
    if (choice === undefined || choice === null) continue;
    const values = Array.isArray(choice) ? choice : [String(choice)];
    if (control.matches('.boxes')) {
      for (const box of control.querySelectorAll('input')) box.checked = values.includes(box.value);
    } else if (control.matches('select[multiple]')) {
      for (const option of control.options) option.selected = values.includes(option.value);
    } else if (control.type !== 'datetime-local') {
      control.value = values[0];
    }
  }
}
