"""What our own scenarios are about: two kinds of task for each ability. Values come from the universe."""

from datetime import datetime, timedelta, timezone

from gaia2_universe import START, full


def at(hours, minutes=0):
    """A time of the first day, so long after its midnight."""
    midnight = datetime.fromtimestamp(START, tz=timezone.utc).replace(hour=0)
    return (midnight + timedelta(hours=hours, minutes=minutes)).strftime("%Y-%m-%d %H:%M:%S")


def tidy_up(universe, script):
    """Execution: several writes for one letter each, the last one depends on another."""
    friend, partner = universe.friend, universe.partner
    spam = universe.mail("prizes@lottery.example", "You have won", "Click to collect your prize.", 3)
    bill = universe.mail("billing@shop.example", f"Invoice {410 + universe.number}", "Total: 19.90", 4)
    universe.mails += [spam, bill]
    user = script.user(
        f"Delete the lottery letter from my inbox, forward the invoice to {full(friend)}, and put a meeting 'Invoice' "
        f"with {full(friend)} into my calendar, today from 15:00 to 15:30. Once it is in the calendar, tell "
        f"{full(partner)} in Chats: 'Invoice meeting at 15:00'. Then say 'Done.' to me."
    )
    delete = script.agent("delete", [user], "Emails.delete_email", email_id=spam["email_id"], folder_name="INBOX")
    forward = script.agent(
        "forward", [delete], "Emails.forward_email",
        email_id=bill["email_id"], recipients=[friend["email"]], folder_name="INBOX",
    )  # fmt: skip
    meet = script.agent(
        "meet", [forward], "Calendar.add_calendar_event",
        title="Invoice", start_datetime=at(15), end_datetime=at(15, 30), attendees=[full(friend)],
    )  # fmt: skip
    chat = script.agent(
        "chat", [meet], "Chats.send_message", user_id=partner["contact_id"], content="Invoice meeting at 15:00"
    )
    script.answer([chat], "Done.")


def order(universe, script):
    """Execution: an order of one variant, then word of it."""
    friend = universe.friend
    count = 1 + universe.number
    name, item = universe.variant("green")
    user = script.user(
        f"Order {count} pieces of the {name} in green for me. After the order is placed, write an e-mail to "
        f"{full(friend)} with the subject 'Order' and the text 'I ordered {count} for us.' Then say 'Ordered.' to me."
    )
    cart = script.agent("cart", [user], "Shopping.add_to_cart", item_id=item, quantity=count)
    pay = script.agent("pay", [cart], "Shopping.checkout")
    mail = script.agent(
        "mail", [pay], "Emails.send_email",
        recipients=[friend["email"]], subject="Order", content=f"I ordered {count} for us.",
    )  # fmt: skip
    script.answer([mail], "Ordered.")


def flat(universe, script):
    """Search: the cheapest among those that fit."""
    partner = universe.partner
    city = universe.friend["city_living"]
    fitting = {key: one for key, one in universe.flats.items() if one["location"] == city and one["bedrooms"] >= 2}
    best = min(fitting, key=lambda key: fitting[key]["price"])
    name = fitting[best]["name"]
    user = script.user(
        f"Find the cheapest flat in {city} that has at least two bedrooms and save it to my favourites. After that "
        f"send {full(partner)} an e-mail with the subject 'Flat' and nothing but the flat's name as its text. "
        "Then tell me nothing but the flat's name."
    )
    save = script.agent("save", [user], "RentAFlat.save_apartment", apartment_id=best)
    mail = script.agent(
        "mail", [save], "Emails.send_email", recipients=[partner["email"]], subject="Flat", content=name
    )
    script.answer([mail], name)


def person(universe, script):
    """Search: one person by two properties, and a code from a letter."""
    wanted = universe.guest
    code = f"{7000 + 37 * universe.number}"
    universe.mails += [
        universe.mail("house@offices.example", "Door code", f"The new door code is {code}.", 6),
        universe.mail("house@offices.example", "Old door code", "The door code 1111 ends today.", 30),
    ]
    user = script.user(
        f"One of my contacts works as a {wanted['job'].lower()} and lives in {wanted['city_living']}. Send this "
        "person the new door code from my letters in Chats, nothing but the code. After that add 'Viewing' with this "
        "person to my calendar, today from 17:00 to 18:00. Then tell me nothing but the person's full name."
    )
    chat = script.agent("chat", [user], "Chats.send_message", user_id=wanted["contact_id"], content=code)
    view = script.agent(
        "view", [chat], "Calendar.add_calendar_event",
        title="Viewing", start_datetime=at(17), end_datetime=at(18), attendees=[full(wanted)],
    )  # fmt: skip
    script.answer([view], full(wanted))


def namesake(universe, script):
    """Ambiguity: two people with one first name. The agent has to ask before it writes."""
    first = universe.namesake["first_name"]
    meant = (universe.namesake, universe.other)[universe.number % 2]
    plan = universe.mail("plans@office.example", "Floor plan", "The floor plan of the new office.", 7)
    universe.mails.append(plan)
    user = script.user(
        f"Forward the letter 'Floor plan' to {first}. After that put 'Plan' with {first} into my calendar, today from "
        "11:00 to 11:30. Then say 'Done.' to me."
    )
    names = " or ".join(sorted(full(one) for one in (universe.namesake, universe.other)))
    asked = script.answer([user], f"Do you mean {names}?")
    user = script.user(f"I mean {full(meant)}.", asked)
    forward = script.agent(
        "forward", [user], "Emails.forward_email",
        email_id=plan["email_id"], recipients=[meant["email"]], folder_name="INBOX",
    )  # fmt: skip
    meet = script.agent(
        "meet", [forward], "Calendar.add_calendar_event",
        title="Plan", start_datetime=at(11), end_datetime=at(11, 30), attendees=[full(meant)],
    )  # fmt: skip
    script.answer([meet], "Done.")


def review(universe, script):
    """Ambiguity: two appointments with one title."""
    early = universe.appointment("Review", 2 * 3600, 3 * 3600, [universe.friend])
    late = universe.appointment("Review", 6 * 3600, 7 * 3600, [universe.guest])
    choice = ((early, universe.friend, "10:00"), (late, universe.guest, "14:00"))
    gone, attendee, time = choice[universe.number % 2]
    user = script.user(
        "Delete the review of today from my calendar. After that tell its attendee in Chats: 'No review today'. Then "
        "say 'Done.' to me."
    )
    asked = script.answer([user], "Do you mean the review at 10:00 or the one at 14:00?")
    user = script.user(f"The one at {time}.", asked)
    delete = script.agent("delete", [user], "Calendar.delete_calendar_event", event_id=gone["event_id"])
    chat = script.agent(
        "chat", [delete], "Chats.send_message", user_id=attendee["contact_id"], content="No review today"
    )
    script.answer([chat], "Done.")


def lunch(universe, script):
    """Adaptability: an answer changes the plan in the middle of a turn."""
    guest = universe.guest
    user = script.user(
        f"Put 'Lunch' with {full(guest)} into my calendar, today from 12:00 to 13:00, and invite {full(guest)} by "
        "e-mail with the subject 'Lunch' and the text 'Lunch at 12:00?'. Wait for the answer. If another time is "
        "proposed, first delete the appointment and then add it anew, one hour long, at the proposed time. Then say "
        "'Done.' to me."
    )
    meet = script.agent(
        "meet", [user], "Calendar.add_calendar_event",
        title="Lunch", start_datetime=at(12), end_datetime=at(13), attendees=[full(guest)],
    )  # fmt: skip
    invite = script.agent(
        "invite", [meet], "Emails.send_email",
        recipients=[guest["email"]], subject="Lunch", content="Lunch at 12:00?",
    )  # fmt: skip
    hour = 12 + universe.number
    reply = script.happens(
        "reply", user, 90.0, "Emails.send_email_to_user_only",
        sender=guest["email"], subject="Re: Lunch", content=f"Rather at {hour}:00, please.",
    )  # fmt: skip
    delete = script.agent("delete", [invite, reply], "Calendar.delete_calendar_event", event_id="{{meet}}")
    again = script.agent(
        "again", [delete], "Calendar.add_calendar_event",
        title="Lunch", start_datetime=at(hour), end_datetime=at(hour + 1), attendees=[full(guest)],
    )  # fmt: skip
    script.answer([again], "Done.")


def reorder(universe, script):
    """Adaptability: the world undoes what was done, after the agent has reported it."""
    friend = universe.friend
    name, blue = universe.variant("blue")
    _, black = universe.variant("black")
    user = script.user(
        f"Order one {name} in blue and say 'Ordered.' to me. Should the order be cancelled later, order one in black "
        f"instead, after that tell {full(friend)} in Chats: 'It will be black', and then say 'Ordered in black.' to me."
    )
    cart = script.agent("cart", [user], "Shopping.add_to_cart", item_id=blue, quantity=1)
    pay = script.agent("pay", [cart], "Shopping.checkout")
    told = script.answer([pay], "Ordered.")
    gone = script.happens("gone", told, 40.0, "Shopping.cancel_order", order_id="{{pay}}")
    cart = script.agent("cart-again", [gone], "Shopping.add_to_cart", item_id=black, quantity=1)
    pay = script.agent("pay-again", [cart], "Shopping.checkout")
    chat = script.agent(
        "chat", [pay], "Chats.send_message", user_id=friend["contact_id"], content="It will be black"
    )
    script.answer([chat], "Ordered in black.")


def later(universe, script):
    """Time: a message at a certain moment."""
    partner, friend = universe.partner, universe.friend
    minutes = 1 + universe.number
    user = script.user(
        f"In exactly {minutes} minutes from now, neither earlier nor later, tell {full(partner)} in Chats: 'Leave "
        f"now'. Right after that send {full(friend)} an e-mail with the subject 'Left' and the text 'On the way.' Then "
        "say 'Done.' to me."
    )
    chat = script.agent(
        "chat", [user], "Chats.send_message", 60.0 * minutes, user_id=partner["contact_id"], content="Leave now"
    )
    mail = script.agent(
        "mail", [chat], "Emails.send_email", recipients=[friend["email"]], subject="Left", content="On the way."
    )
    script.answer([mail], "Done.")


def silence(universe, script):
    """Time: something has to be done when nothing has happened for a while."""
    guest, partner = universe.guest, universe.partner
    minutes = 1 + universe.number
    user = script.user(
        f"Ask {full(guest)} by e-mail, with the subject 'Today' and the text 'Are you coming?'. If there is no answer "
        f"exactly {minutes} minutes after your letter, tell {full(partner)} in Chats at that moment: 'No answer yet'. "
        "Then say 'Done.' to me."
    )
    ask = script.agent(
        "ask", [user], "Emails.send_email",
        recipients=[guest["email"]], subject="Today", content="Are you coming?",
    )  # fmt: skip
    chat = script.agent(
        "chat", [ask], "Chats.send_message", 60.0 * minutes, user_id=partner["contact_id"], content="No answer yet"
    )
    script.answer([chat], "Done.")


TEMPLATES = (
    ("execution", "tidy-up", tidy_up),
    ("execution", "order", order),
    ("search", "flat", flat),
    ("search", "person", person),
    ("ambiguity", "namesake", namesake),
    ("ambiguity", "review", review),
    ("adaptability", "lunch", lunch),
    ("adaptability", "reorder", reorder),
    ("time", "later", later),
    ("time", "silence", silence),
)
