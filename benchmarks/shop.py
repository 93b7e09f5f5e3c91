"""A large page like a shop's list of results: 7,471 elements, 1,100 links, 177 buttons, 155 fields."""

from __future__ import annotations

import random
import re

__all__ = ["ADJECTIVES", "NOUNS", "shop_page"]

ADJECTIVES = [
    "Classic",
    "Ceramic",
    "Premium",
    "Portable",
    "Wireless",
    "Ultra",
    "Compact",
    "Deluxe",
    "Heavy-Duty",
    "Vintage",
    "Solar",
    "Foldable",
    "Ergonomic",
    "Stainless",
    "Organic",
    "Smart",
]
NOUNS = [
    "Curling Iron",
    "Hair Dryer",
    "Desk Lamp",
    "Coffee Grinder",
    "Water Bottle",
    "Backpack",
    "Keyboard",
    "Mouse Pad",
    "Phone Stand",
    "Yoga Mat",
    "Air Fryer",
    "Kettle",
    "Headphones",
    "Notebook",
    "Camping Tent",
    "Drill Set",
]
_USES = [
    "produces soft waves for use on medium and long hair",
    "with adjustable temperature and auto shut-off",
    "for home and office, includes travel pouch",
    "dual voltage, 6 foot swivel cord, tangle-free",
    "BPA free, dishwasher safe, lifetime guarantee",
    "rechargeable battery up to 20 hours",
]
_HEAD = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Shop : results</title>
<link rel=icon href="data:,"><style>body{font:13px sans-serif;margin:0}
.grid{display:grid;grid-template-columns:repeat(4,1fr);gap:8px}
.card{border:1px solid #ddd;padding:6px}img{width:120px;height:120px}a,button{cursor:pointer}
nav ul{display:flex;flex-wrap:wrap;list-style:none;gap:8px}.f ul{list-style:none}.foot{display:flex;flex-wrap:wrap}
</style></head><body>"""
_SORTS = [
    "Featured",
    "Price: Low to High",
    "Price: High to Low",
    "Avg. Customer Review",
    "Newest Arrivals",
    "Best Sellers",
]
_CAROUSELS = [
    "Related searches",
    "Customers who viewed",
    "Inspired by your history",
    "Top picks",
    "Buy it again",
    "Last viewed",
]


def shop_page() -> str:
    """The page's HTML; the same at every call."""
    chance = random.Random(7)
    parts = [_HEAD, _header(), _departments(), _filters(), "</aside><div>", _results_head()]
    parts.append('<div class=grid role=list aria-label="Results">')
    parts += [_card(number, chance) for number in range(48)]
    parts += ["</div>", _pages(), "</div></main>"]
    parts += [_carousel(number, chance) for number in range(6)]
    parts.append(_footer())
    return "".join(parts)


def _header() -> str:
    departments = "".join(f"<option>Department {number}</option>" for number in range(1, 41))
    menu = "".join(
        f'<li><a href="/tiny.html?m={number}">{ADJECTIVES[number % 16]} {NOUNS[number * 5 % 16]}s</a></li>'
        for number in range(26)
    )
    return (
        '<header><div><div><a href="/tiny.html" aria-label="Shop home"><span>shop</span></a></div>'
        "<div><div><span>Deliver to</span><span>Netherlands</span></div></div>"
        f'<form role=search onsubmit="return false"><div><select aria-label="Search in">{departments}</select></div>'
        '<div><input type=text aria-label="Search shop"></div><button type=submit>Go</button></form>'
        '<div><div><a href="/tiny.html"><div><span>Hello, sign in</span></div>'
        "<span>Account &amp; Lists</span></a></div>"
        '<a href="/tiny.html"><div>Returns</div><div>&amp; Orders</div></a>'
        '<a href="/tiny.html" aria-label="0 items in cart"><div><span>0</span></div><div>Cart</div></a></div></div>'
        f'</header><nav aria-label="Main"><ul>{menu}</ul></nav>'
    )


def _departments() -> str:
    parts = ['<nav aria-label="Departments">']
    for group in range(14):
        links = "".join(
            f'<li><div><a href="/tiny.html?d={group}-{number}">'
            f"<span>{NOUNS[(number + group) % 16]} {ADJECTIVES[(number * 3 + group) % 16]}</span></a></div></li>"
            for number in range(12)
        )
        parts.append(f"<div><div><h3>Department {group + 1}</h3><ul>{links}</ul></div></div>")
    return "".join([*parts, "</nav>"])


def _filters() -> str:
    chance = random.Random(8)
    parts = ['<main><aside aria-label="Filters" class=f>']
    for group in range(17):
        choices = "".join(
            f'<li><span><a href="/tiny.html?f={group}-{number}"><label><input type=checkbox '
            f'aria-label="Apply {ADJECTIVES[number]} filter {group + 1}"><i></i></label>'
            f"<span>{ADJECTIVES[(number + group) % 16]} ({chance.randint(3, 900)})</span></a></span></li>"
            for number in range(8)
        )
        parts.append(
            f"<div><div><h4>Filter {group + 1}</h4></div><ul>{choices}</ul>"
            '<div><a href="#more" role=button>See more</a></div></div>'
        )
    return "".join(parts)


def _results_head() -> str:
    sorts = "".join(f"<option>{name}</option>" for name in _SORTS)
    return (
        "<div><div><h1><div><div><span>1-48 of over 10,000 results for</span> "
        '<span>"curling iron"</span></div></div></h1></div>'
        f'<div><label>Sort by: <select aria-label="Sort by">{sorts}</select></label></div></div>'
    )


def _card(number: int, chance: random.Random) -> str:
    model = f"{chance.randint(1, 9)} 1/2-Inch, model {1000 + number}, {_USES[number % 6]}"
    title = f"{ADJECTIVES[number % 16].upper()} {NOUNS[number * 7 % 16]} {model}"
    price = chance.randint(500, 20000)
    listed = price + chance.randint(100, 5000)
    colors = chance.randint(0, 6)
    stars = chance.randint(30, 50) / 10
    ratings = f"{chance.randint(10, 40000):,}"
    page = f"/tiny.html?p={number}"
    parts = [f"<div role=listitem data-asin=B{number:05d}><div class=card><div><div>"]
    if number % 7 in (0, 1):
        parts.append(
            '<div><div><span><a href="#s" role=button aria-label="View Sponsored information">'
            "<span>Sponsored</span></a></span></div></div>"
        )
    if number % 5 == 0:
        parts.append('<div><span><a href="/tiny.html"><span>Best Seller</span></a></span></div>')
    parts.append(
        f'<div><span><a href="{page}"><div><img src="/img/{number}.svg" alt="{title[:60]}"></div></a></span></div>'
        f'<div><div><h2><a href="{page}"><span>{title}</span></a></h2></div>'
        f'<div><div><span aria-label="{stars} out of 5 stars"><a href="#r" role=button><i></i>'
        f'<span>{stars} out of 5 stars</span></a></span><span><a href="/tiny.html?rev={number}" '
        f'aria-label="{ratings} ratings"><span>{ratings}</span></a></span></div>'
        f"<div><span>{chance.randint(1, 9)}K+ bought in past month</span></div></div>"
        f'<div><div><a href="{page}"><span><span>${price / 100:.2f}</span><span aria-hidden=true><span>$</span>'
        f"<span>{price // 100}</span><span>{price % 100:02d}</span></span></span></a>"
        f"<div><span>List:</span><span><span>${listed / 100:.2f}</span></span></div></div>"
    )
    if number % 3 == 0:
        parts.append(
            '<div><span><span><input type=checkbox aria-label="Coupon"><span>Save 10%</span></span>'
            "<span>with coupon</span></span></div>"
        )
    day = ["Mon", "Tue", "Wed", "Thu", "Fri"][number % 5]
    parts.append(
        f"<div><div><span>Delivery</span><span>{day}, Dec {chance.randint(1, 28)}</span></div>"
        "<div><span>Ships to</span> <span>Netherlands</span></div></div>"
        f'<div><span>Sold by <a href="/tiny.html?seller={number % 9}">Seller {number % 9} Store</a></span></div>'
    )
    if number % 6 == 2:
        parts.append(f"<div><span>Only {chance.randint(1, 9)} left in stock - order soon.</span></div>")
    parts.append("</div>")
    if colors:
        swatches = "".join(
            f'<li><div><a href="{page}&c={color}" aria-label="Color {color + 1}">'
            f'<span><img src="/img/c{color}.svg" alt=""></span></a></div></li>'
            for color in range(colors)
        )
        more = f'<a href="/tiny.html">+{chance.randint(1, 9)} colors</a>'
        parts.append(f'<div><div><ul aria-label="Colors">{swatches}</ul>{more}</div></div>')
    parts.append(
        "<div><div><span><button>Add to cart</button></span></div>"
        f'<div><button aria-label="Save {title[:30]}">Save</button></div></div>'
    )
    if number % 4 == 1:
        offers = f"<span>${price / 90:.2f}</span> <span>({chance.randint(2, 30)} used &amp; new offers)</span>"
        parts.append(
            f'<div><div><span>More Buying Choices</span></div><div><a href="/tiny.html">{offers}</a></div></div>'
        )
    if number % 11 == 4:
        parts.append(
            "<div><div><span>Small Business</span><div><p>Shop products from small business brands</p>"
            "</div></div></div>"
        )
    html = "".join(parts)
    return html + "</div>" * (len(re.findall(r"<div\b", html)) - html.count("</div>"))


def _pages() -> str:
    links = "".join(f'<a href="/tiny.html?page={number}">{number}</a>' for number in (2, 3, 20))
    return (
        '<nav aria-label="pagination"><div><span><span aria-disabled=true>Previous</span>'
        f'<span aria-current=page>1</span>{links}<a href="/tiny.html?page=2">Next</a></span></div></nav>'
    )


def _carousel(number: int, chance: random.Random) -> str:
    items = "".join(
        f'<li><div><div><a href="/tiny.html?c={number}-{item}"><div><img src="/img/{item}.svg" '
        f'alt="item {number} {item}"></div><div><span>{ADJECTIVES[(item + number) % 16]} '
        f'{NOUNS[(item * 3 + number) % 16]}</span></div></a></div><div><a href="#"><i></i>'
        f"<span>{chance.randint(30, 50) / 10} stars</span></a></div>"
        f"<div><span>${chance.randint(5, 200)}.99</span></div></div></li>"
        for item in range(16)
    )
    return (
        f'<section aria-label="Carousel {number + 1}"><h2>{_CAROUSELS[number]}</h2>'
        f"<div><div><ul>{items}</ul></div></div></section>"
    )


def _footer() -> str:
    groups = "".join(
        f"<div><div>Footer group {group + 1}</div><ul>"
        + "".join(
            f'<li><a href="/tiny.html?ft={group}-{number}">'
            f"{ADJECTIVES[(number + group) % 16]} with us {number}</a></li>"
            for number in range(10)
        )
        + "</ul></div>"
        for group in range(8)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td><a href="/tiny.html?ft2={row}-{number}"><h5>{NOUNS[(row * 7 + number) % 16]}</h5>'
            f"<span>Service line {row}-{number}</span></a></td>"
            for number in range(7)
        )
        + "</tr>"
        for row in range(7)
    )
    legal = "".join(
        f'<li><a href="/tiny.html">{name}</a></li>'
        for name in ["Conditions of Use", "Privacy Notice", "Consumer Health Data", "Your Ads Privacy"]
    )
    return (
        f"<footer><button>Back to top</button><div class=foot>{groups}</div><div><table>{rows}</table></div>"
        f"<div><ul>{legal}</ul><span>© 1996-2026, Shop, Inc.</span></div></footer></body></html>"
    )
