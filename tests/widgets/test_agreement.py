"""Applications of real component libraries, as they are and with their lists, menus, trees and dialogs open, against
Chrome's accessibility tree; no word that they show may be missing."""

from __future__ import annotations

import pytest

from pagelens.browser.input import click
from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.oracle import Comparison, compare
from tests.snapshot.words import missing_words
from tests.support.site import Site
from tests.widgets.conftest import Serve
from tests.widgets.test_widgets import REACT, until

MUI = (
    REACT
    + """<script src={0}@mui/material/umd/material-ui.production.min.js></script><script>
const M = MaterialUI, e = React.createElement;
const rows = ['Lamp', 'Desk', 'Chair'].map((name, n) => ({{ name, price: 10 * n + 5, stock: n > 0 }}));
function App() {{
  const [tab, setTab] = React.useState(0);
  const [anchor, setAnchor] = React.useState(null);
  const [open, setOpen] = React.useState(false);
  return e('div', null,
    e(M.AppBar, {{ position: 'static' }}, e(M.Toolbar, null, e(M.IconButton, {{ 'aria-label': 'menu' }}, '='),
      e(M.Typography, {{ variant: 'h6', component: 'div' }}, 'News'),
      e(M.Badge, {{ badgeContent: 4, color: 'secondary' }}, e(M.Button, {{ color: 'inherit' }}, 'Inbox')))),
    e(M.Breadcrumbs, {{ 'aria-label': 'breadcrumb' }}, e(M.Link, {{ href: '/' }}, 'Home'), e(M.Link, {{ href: '/a' }}, 'Shop'),
      e(M.Typography, null, 'Lamps')),
    e(M.Tabs, {{ value: tab, onChange: (_, next) => setTab(next), 'aria-label': 'views' }},
      e(M.Tab, {{ label: 'One', id: 't0', 'aria-controls': 'p0' }}), e(M.Tab, {{ label: 'Two', id: 't1' }}), e(M.Tab, {{ label: 'Three', disabled: true }})),
    e('div', {{ role: 'tabpanel', id: 'p0', 'aria-labelledby': 't' + tab }}, 'Panel ' + tab),
    e(M.TableContainer, {{ component: M.Paper }}, e(M.Table, {{ 'aria-label': 'prices' }},
      e(M.TableHead, null, e(M.TableRow, null, e(M.TableCell, {{ padding: 'checkbox' }}, e(M.Checkbox, {{ indeterminate: true, inputProps: {{ 'aria-label': 'all' }} }})),
        e(M.TableCell, {{ sortDirection: 'asc' }}, e(M.TableSortLabel, {{ active: true, direction: 'asc' }}, 'Name')), e(M.TableCell, {{ align: 'right' }}, 'Price'))),
      e(M.TableBody, null, rows.map(row => e(M.TableRow, {{ key: row.name, hover: true, selected: row.stock, role: 'checkbox', 'aria-checked': row.stock, tabIndex: -1 }},
        e(M.TableCell, {{ padding: 'checkbox' }}, e(M.Checkbox, {{ checked: row.stock }})), e(M.TableCell, {{ component: 'th', scope: 'row' }}, row.name), e(M.TableCell, {{ align: 'right' }}, row.price)))))),
    e(M.TablePagination, {{ component: 'div', count: 100, page: 2, rowsPerPage: 10, onPageChange: () => 0 }}),
    e(M.Accordion, {{ defaultExpanded: true }}, e(M.AccordionSummary, {{ id: 'a1', 'aria-controls': 'c1' }}, 'First'), e(M.AccordionDetails, null, 'Details of the first')),
    e(M.Accordion, null, e(M.AccordionSummary, {{ id: 'a2', 'aria-controls': 'c2' }}, 'Second'), e(M.AccordionDetails, null, 'Details of the second')),
    e(M.Slider, {{ defaultValue: 30, 'aria-label': 'Volume', valueLabelDisplay: 'on' }}), e(M.Slider, {{ defaultValue: [20, 40], getAriaLabel: n => n ? 'Max' : 'Min', disabled: true }}),
    e(M.Rating, {{ name: 'stars', defaultValue: 2.5, precision: 0.5 }}), e(M.Rating, {{ value: 4, readOnly: true }}),
    e(M.FormControl, null, e(M.FormLabel, {{ id: 'g' }}, 'Gender'), e(M.RadioGroup, {{ 'aria-labelledby': 'g', defaultValue: 'f' }},
      e(M.FormControlLabel, {{ value: 'f', control: e(M.Radio), label: 'Female' }}), e(M.FormControlLabel, {{ value: 'd', disabled: true, control: e(M.Radio), label: 'Other' }}))),
    e(M.FormControlLabel, {{ control: e(M.Switch, {{ defaultChecked: true }}), label: 'Wifi' }}),
    e(M.TextField, {{ id: 'mail', label: 'Mail', required: true, error: true, helperText: 'Not a mail address', defaultValue: 'x' }}),
    e(M.TextField, {{ id: 'area', label: 'Text', multiline: true, rows: 2, defaultValue: 'Some text', variant: 'filled' }}),
    e(M.FormControl, {{ sx: {{ width: 200 }} }}, e(M.InputLabel, {{ id: 'sl' }}, 'Age'), e(M.Select, {{ labelId: 'sl', id: 'age', value: 20, label: 'Age' }}, [10, 20, 30].map(n => e(M.MenuItem, {{ key: n, value: n }}, n + ' years')))),
    e(M.Autocomplete, {{ id: 'films', multiple: true, options: ['Alien', 'Brazil', 'Casablanca'], defaultValue: ['Brazil'], renderInput: given => e(M.TextField, {{ ...given, label: 'Films' }}) }}),
    e(M.ButtonGroup, {{ 'aria-label': 'split' }}, e(M.Button, null, 'Left'), e(M.Button, {{ disabled: true }}, 'Right')),
    e(M.ToggleButtonGroup, {{ value: 'b', exclusive: true, 'aria-label': 'align' }}, e(M.ToggleButton, {{ value: 'a', 'aria-label': 'start' }}, 'A'), e(M.ToggleButton, {{ value: 'b' }}, 'B')),
    e(M.Button, {{ id: 'more', 'aria-haspopup': 'menu', 'aria-expanded': Boolean(anchor), onClick: event => setAnchor(event.currentTarget) }}, 'More'),
    e(M.Menu, {{ anchorEl: anchor, open: Boolean(anchor), onClose: () => setAnchor(null) }}, e(M.MenuItem, null, 'Profile'), e(M.MenuItem, {{ selected: true }}, 'Account'), e(M.Divider), e(M.MenuItem, {{ disabled: true }}, 'Logout')),
    e(M.Button, {{ id: 'ask', onClick: () => setOpen(true) }}, 'Ask'),
    e(M.Dialog, {{ open, 'aria-labelledby': 'dt' }}, e(M.DialogTitle, {{ id: 'dt' }}, 'Sure?'), e(M.DialogContent, null, e(M.DialogContentText, null, 'It can not be undone.')), e(M.DialogActions, null, e(M.Button, {{ onClick: () => setOpen(false) }}, 'Cancel'), e(M.Button, {{ autoFocus: true }}, 'Agree'))),
    e(M.Stepper, {{ activeStep: 1 }}, ['Cart', 'Address', 'Pay'].map(label => e(M.Step, {{ key: label }}, e(M.StepLabel, null, label)))),
    e(M.Pagination, {{ count: 5, page: 2 }}), e(M.Alert, {{ severity: 'error', onClose: () => 0 }}, e(M.AlertTitle, null, 'Error'), 'It failed.'),
    e(M.LinearProgress, {{ variant: 'determinate', value: 60, 'aria-label': 'loading' }}), e(M.CircularProgress), e(M.Skeleton),
    e(M.Chip, {{ label: 'Chip', onClick: () => 0, onDelete: () => 0 }}), e(M.Tooltip, {{ title: 'A tip' }}, e(M.Button, null, 'Tipped')), e(M.Avatar, {{ alt: 'Ada' }}, 'A'),
    e(M.List, {{ component: 'nav', 'aria-label': 'folders', subheader: e(M.ListSubheader, null, 'Nested') }}, e(M.ListItemButton, {{ selected: true }}, e(M.ListItemText, {{ primary: 'Inbox', secondary: '3 new' }})), e(M.ListItemButton, null, e(M.ListItemText, {{ primary: 'Drafts' }}))),
    e(M.Card, null, e(M.CardHeader, {{ title: 'Card', subheader: 'Of September' }}), e(M.CardActionArea, null, e(M.CardContent, null, 'Content of the card')), e(M.CardActions, null, e(M.Button, {{ size: 'small' }}, 'Share'))),
    e(M.BottomNavigation, {{ value: 0, showLabels: true }}, e(M.BottomNavigationAction, {{ label: 'Recents' }}), e(M.BottomNavigationAction, {{ label: 'Nearby' }})));
}}
ReactDOM.createRoot(root).render(e(App));
</script>"""  # noqa: E501
)

ANTD = (
    REACT
    + """<script src={0}dayjs/dayjs.min.js></script><script src={0}antd/dist/antd.min.js></script><script>
const A = antd, e = React.createElement;
const tree = [{{ title: 'parent', key: '0', children: [{{ title: 'leaf 1', key: '0-0' }}, {{ title: 'leaf 2', key: '0-1', disabled: true }}] }}, {{ title: 'other', key: '1', children: [{{ title: 'deep', key: '1-0' }}] }}];
const people = ['Ada', 'Bob', 'Eve'].map((name, n) => ({{ key: n, name, age: 30 + n, tags: ['a', 'b'] }}));
const columns = [{{ title: 'Name', dataIndex: 'name', sorter: (a, b) => 0, render: text => e('a', {{ href: '/p' }}, text) }}, {{ title: 'Age', dataIndex: 'age', filters: [{{ text: 'Old', value: 1 }}] }},
  {{ title: 'Tags', dataIndex: 'tags', render: tags => tags.map(tag => e(A.Tag, {{ key: tag, color: 'blue' }}, tag)) }}];
function App() {{
  const [open, setOpen] = React.useState(false);
  return e(A.Layout, null, e(A.Layout.Header, null, e(A.Menu, {{ mode: 'horizontal', theme: 'dark', defaultSelectedKeys: ['1'], items: [{{ key: 1, label: 'Start' }}, {{ key: 2, label: 'Shop' }}, {{ key: 3, label: 'Off', disabled: true }}] }})),
    e(A.Layout, null, e(A.Layout.Sider, null, e(A.Menu, {{ mode: 'inline', defaultOpenKeys: ['sub1'], items: [{{ key: 'sub1', label: 'Group', children: [{{ key: 5, label: 'In one' }}, {{ key: 6, label: 'In two' }}] }}, {{ key: 'sub2', label: 'Closed', children: [{{ key: 7, label: 'Not seen' }}] }}] }})),
    e(A.Layout.Content, null, e(A.Breadcrumb, {{ items: [{{ title: 'Home', href: '/' }}, {{ title: 'List' }}] }}),
      e(A.Table, {{ rowSelection: {{ selectedRowKeys: [1] }}, columns, dataSource: people, pagination: {{ pageSize: 2 }}, size: 'small' }}),
      e(A.Form, {{ layout: 'vertical', initialValues: {{ user: 'ada' }} }}, e(A.Form.Item, {{ label: 'User', name: 'user', rules: [{{ required: true }}], tooltip: 'Why' }}, e(A.Input)), e(A.Form.Item, {{ label: 'Pass', name: 'pass', validateStatus: 'error', help: 'Too short' }}, e(A.Input.Password)),
        e(A.Form.Item, {{ label: 'Age', name: 'age' }}, e(A.InputNumber, {{ min: 1, max: 10 }})), e(A.Form.Item, {{ name: 'agree', valuePropName: 'checked' }}, e(A.Checkbox, null, 'I agree')), e(A.Form.Item, {{ label: 'On', name: 'on' }}, e(A.Switch, {{ checkedChildren: 'yes', unCheckedChildren: 'no' }}))),
      e(A.Select, {{ id: 'country', style: {{ width: 200 }}, showSearch: true, placeholder: 'Country', options: ['Germany', 'France', 'Spain'].map(value => ({{ value, label: value }})) }}),
      e(A.Select, {{ id: 'many', mode: 'multiple', style: {{ width: 200 }}, defaultValue: ['France'], options: ['Germany', 'France'].map(value => ({{ value, label: value }})) }}),
      e(A.DatePicker, {{ id: 'date', placeholder: 'Day' }}), e(A.TimePicker), e(A.Cascader, {{ options: [{{ value: 'a', label: 'A', children: [{{ value: 'b', label: 'B' }}] }}], placeholder: 'Cascade' }}),
      e(A.Radio.Group, {{ defaultValue: 'b' }}, e(A.Radio, {{ value: 'a' }}, 'A side'), e(A.Radio.Button, {{ value: 'b' }}, 'B side')), e(A.Slider, {{ defaultValue: 30 }}), e(A.Rate, {{ defaultValue: 3 }}),
      e(A.Tree, {{ checkable: true, defaultExpandedKeys: ['0'], defaultCheckedKeys: ['0-0'], treeData: tree }}), e(A.Tabs, {{ items: [{{ key: 1, label: 'First tab', children: 'First content' }}, {{ key: 2, label: 'Second tab', children: 'Second content' }}] }}),
      e(A.Collapse, {{ defaultActiveKey: ['1'], items: [{{ key: '1', label: 'Open panel', children: 'Seen text' }}, {{ key: '2', label: 'Closed panel', children: 'Unseen text' }}] }}),
      e(A.Steps, {{ current: 1, items: [{{ title: 'Done' }}, {{ title: 'Doing', description: 'now' }}, {{ title: 'Waiting' }}] }}), e(A.Transfer, {{ dataSource: [{{ key: '1', title: 'content one' }}, {{ key: '2', title: 'content two' }}], targetKeys: ['2'], titles: ['Source', 'Target'], render: item => item.title }}),
      e(A.Descriptions, {{ title: 'Info', items: [{{ key: 1, label: 'Phone', children: '123' }}] }}), e(A.Progress, {{ percent: 50 }}), e(A.Statistic, {{ title: 'Users', value: 112893 }}), e(A.Pagination, {{ total: 50 }}), e(A.Segmented, {{ options: ['Daily', 'Weekly'] }}),
      e(A.Alert, {{ message: 'Warning text', type: 'warning', closable: true }}), e(A.Empty), e(A.List, {{ dataSource: ['row one', 'row two'], renderItem: item => e(A.List.Item, null, item) }}), e(A.Timeline, {{ items: [{{ children: 'Created' }}, {{ children: 'Solved' }}] }}),
      e(A.Upload, null, e(A.Button, null, 'Upload')), e(A.Dropdown, {{ menu: {{ items: [{{ key: 1, label: 'Action one' }}, {{ key: 2, danger: true, label: 'Action two' }}] }}, trigger: ['click'] }}, e(A.Button, {{ id: 'drop' }}, 'Actions')), e(A.Popconfirm, {{ title: 'Really?' }}, e(A.Button, {{ id: 'pop' }}, 'Delete')),
      e(A.Button, {{ id: 'ask', onClick: () => setOpen(true) }}, 'Open dialog'), e(A.Modal, {{ open, title: 'Modal title', onCancel: () => setOpen(false) }}, e('p', null, 'Modal text')))));
}}
ReactDOM.createRoot(root).render(e(App));
</script>"""  # noqa: E501
)


AT_REST = "document.getAnimations().every(a => a.playState == 'finished' || a.effect.getTiming().iterations > 1)"


async def check(page: Page, opened: str) -> Comparison:
    result = await compare(page)
    assert result.is_good, "\n".join([opened, *result.differences[:20], *result.facts_differences[:20]])
    for _ in range(5):
        missing, _count = await missing_words(page, (await TextSnapshot.take(page)).text)
        if not missing:
            break  # else something has only now come into view
    assert not missing, (opened, missing)
    return result


@pytest.mark.long
@pytest.mark.parametrize(
    ("library", "html", "opens"),
    [("mui", MUI, ("#age", "#films", "#more", "#ask")), ("antd", ANTD, ("#country", "#date", "#drop", "#pop", "#ask"))],
    ids=["MUI", "Ant Design"],
)
async def test_applications(
    page: Page, site: Site, npm: Serve, library: str, html: str, opens: tuple[str, ...]
) -> None:
    total = Comparison()
    for opened in ("", *opens):
        await page.navigate(site.page(html.format(npm("react", library))))
        await until(page, "document.querySelector('#root').childElementCount > 0")
        if opened:
            await click(page, f"css={opened}")
            await until(page, AT_REST)
        total += await check(page, opened)
    assert total.total > 240
    assert min(total.agreement, total.facts_agreement) >= 99.5, "\n".join(total.differences + total.facts_differences)
