//! Shop: products, a cart, and the user's orders. A listing tells the price, not the stock.

use std::collections::BTreeMap;

use palaestra_domain::tool::Effect;
use serde::Serialize;
use serde_json::{Value, json};

use crate::workshop::page::{PAGE, PAGE_SIZE, mentions, page};
use crate::workshop::tool::{Args, Kind, Param, Tool, words};
use crate::workshop::world::{World, fresh_id};

words! {
    /// How far an order has come.
    Status { Processing = "PROCESSING", Shipped = "SHIPPED", Delivered = "DELIVERED", Cancelled = "CANCELLED" }
}

words! {
    /// How an order travels.
    Delivery { Standard = "STANDARD", Express = "EXPRESS" }
}

/// One product.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Product {
    pub(crate) name: String,
    pub(crate) price_usd: u32,
    pub(crate) rating: u32,
    pub(crate) stock: u32,
}

/// One order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Order {
    pub(crate) date: String,
    /// Product names and how many of each.
    pub(crate) lines: BTreeMap<String, u32>,
    pub(crate) total_usd: u32,
    pub(crate) status: Status,
    pub(crate) delivery: Delivery,
}

/// Products, cart and orders.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Shop {
    pub(crate) products: BTreeMap<String, Product>,
    /// Product ids and how many of each.
    pub(crate) cart: BTreeMap<String, u32>,
    pub(crate) orders: BTreeMap<String, Order>,
}

const PRODUCT_ID: Param =
    Param::required("product_id", Kind::Text, "The product's id, as a listing gives it.");
const ORDER_ID: Param = Param::required("order_id", Kind::Text, "The order's id, as a listing gives it.");

/// The functions of this app.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        app: "shop",
        function: "search_products",
        about: "Finds the products whose name mentions a text, by name, with price and rating (1 to 5).",
        effect: Effect::Read,
        params: &[Param::required("query", Kind::Text, "The text to look for."), PAGE, PAGE_SIZE],
        run: |world, args| Ok(products(world, args)),
    },
    Tool {
        app: "shop",
        function: "get_product",
        about: "Shows one product with the number in stock.",
        effect: Effect::Read,
        params: &[PRODUCT_ID],
        run: |world, args| {
            let id = args.text("product_id");
            let p = world.shop.product(id)?;
            Ok(
                json!({ "id": id, "name": p.name, "price_usd": p.price_usd, "rating": p.rating, "stock": p.stock }),
            )
        },
    },
    Tool {
        app: "shop",
        function: "view_cart",
        about: "Shows what is in the cart.",
        effect: Effect::Read,
        params: &[],
        run: |world, _| Ok(cart(world)),
    },
    Tool {
        app: "shop",
        function: "add_to_cart",
        about: "Puts a product into the cart; nothing is ordered before checkout.",
        effect: Effect::Write,
        params: &[
            PRODUCT_ID,
            Param::required("quantity", Kind::Integer { low: 1, high: 99 }, "How many in all."),
        ],
        run: add_to_cart,
    },
    Tool {
        app: "shop",
        function: "remove_from_cart",
        about: "Takes a product out of the cart.",
        effect: Effect::Write,
        params: &[PRODUCT_ID],
        run: |world, args| {
            let id = args.text("product_id");
            world.shop.cart.remove(id).ok_or_else(|| format!("the cart holds no product {id}"))?;
            Ok(cart(world))
        },
    },
    Tool {
        app: "shop",
        function: "checkout",
        about: "Orders everything in the cart.",
        effect: Effect::Write,
        params: &[Param::required("delivery", Kind::Choice(Delivery::WORDS), "How the order travels.")],
        run: checkout,
    },
    Tool {
        app: "shop",
        function: "list_orders",
        about: "Lists the orders of one status, newest first.",
        effect: Effect::Read,
        params: &[
            Param::required("status", Kind::Choice(Status::WORDS), "How far the order has come."),
            PAGE,
            PAGE_SIZE,
        ],
        run: |world, args| {
            let status = Status::read(args.text("status"))?;
            let mut found: Vec<(&String, &Order)> =
                world.shop.orders.iter().filter(|(_, order)| order.status == status).collect();
            found.sort_by(|(a_id, a), (b_id, b)| b.date.cmp(&a.date).then_with(|| a_id.cmp(b_id)));
            Ok(page(found.into_iter().map(|(id, order)| shown(id, order)).collect(), args))
        },
    },
    Tool {
        app: "shop",
        function: "cancel_order",
        about: "Cancels an order that is still PROCESSING.",
        effect: Effect::Write,
        params: &[ORDER_ID],
        run: |world, args| {
            let id = args.text("order_id");
            let order = world.shop.orders.get_mut(id);
            let order = order
                .ok_or_else(|| format!("there is no order with the id {id}: take ids from a listing"))?;
            if order.status != Status::Processing {
                return Err("only an order that is PROCESSING can be cancelled".to_owned());
            }
            order.status = Status::Cancelled;
            Ok(shown(id, order))
        },
    },
];

impl Shop {
    fn product(&self, id: &str) -> Result<&Product, String> {
        self.products
            .get(id)
            .ok_or_else(|| format!("there is no product with the id {id}: take ids from a listing"))
    }
}

fn products(world: &World, args: &Args) -> Value {
    let query = args.text("query");
    let fits = |product: &Product| mentions(query, [product.name.as_str()]);
    let mut found: Vec<(&String, &Product)> = world.shop.products.iter().filter(|(_, p)| fits(p)).collect();
    found.sort_by(|(a_id, a), (b_id, b)| a.name.cmp(&b.name).then_with(|| a_id.cmp(b_id)));
    let items = found
        .into_iter()
        .map(|(id, p)| json!({ "id": id, "name": p.name, "price_usd": p.price_usd, "rating": p.rating }));
    page(items.collect(), args)
}

fn cart(world: &World) -> Value {
    let lines =
        world.shop.cart.iter().map(|(id, quantity)| json!({ "product_id": id, "quantity": quantity }));
    json!({ "lines": lines.collect::<Vec<_>>() })
}

fn add_to_cart(world: &mut World, args: &Args) -> Result<Value, String> {
    let id = args.text("product_id");
    let quantity = u32::try_from(args.integer("quantity")).map_err(|error| error.to_string())?;
    let stock = world.shop.product(id)?.stock;
    if quantity > stock {
        return Err(format!(
            "only {stock} of product {id} in stock: choose a smaller quantity or another product"
        ));
    }
    if world.shop.cart.contains_key(id) {
        return Err(format!("product {id} is in the cart already: take it out first to change its quantity"));
    }
    world.shop.cart.insert(id.to_owned(), quantity);
    Ok(cart(world))
}

fn checkout(world: &mut World, args: &Args) -> Result<Value, String> {
    let delivery = Delivery::read(args.text("delivery"))?;
    if world.shop.cart.is_empty() {
        return Err("the cart is empty: put something into it first".to_owned());
    }
    let (mut lines, mut total_usd) = (BTreeMap::new(), 0);
    for (id, quantity) in std::mem::take(&mut world.shop.cart) {
        if let Some(product) = world.shop.products.get_mut(&id) {
            product.stock = product.stock.saturating_sub(quantity);
            total_usd += product.price_usd * quantity;
            lines.insert(product.name.clone(), quantity);
        }
    }
    let order = Order { date: world.now.clone(), lines, total_usd, status: Status::Processing, delivery };
    let id = fresh_id("order", &order, |id| world.shop.orders.contains_key(id))?;
    let shown = shown(&id, &order);
    world.shop.orders.insert(id, order);
    Ok(shown)
}

fn shown(id: &str, order: &Order) -> Value {
    json!({
        "id": id, "date": order.date, "lines": order.lines, "total_usd": order.total_usd,
        "status": order.status, "delivery": order.delivery,
    })
}
