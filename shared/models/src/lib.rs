//! One way to reach a model: journal, budget, limit, retry, price.
