"""The small universes of our own scenarios: people, letters, goods and flats, in the GAIA2 JSON format.

A universe is made from its number alone. Nothing in it is taken from anywhere.
"""

import random

# 2027-03-08 08:00:00 UTC, a Monday.
START = 1804492800.0

FIRST_NAMES = (
    "Amara", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hana", "Ivo", "Jonas", "Kaya", "Lior",
    "Mina", "Noor", "Oskar", "Petra", "Quinn", "Rosa", "Sami", "Tove", "Uma", "Viktor", "Wren", "Yara",
)  # fmt: skip
LAST_NAMES = (
    "Abel", "Brandt", "Castell", "Dorn", "Evans", "Falk", "Gruber", "Holm", "Ibarra", "Jansen", "Keller",
    "Lindqvist", "Marchetti", "Novak", "Okafor", "Pereira", "Quist", "Rinaldi", "Sato", "Thorne", "Ueda",
    "Varga", "Weiss", "Zeman",
)  # fmt: skip
CITIES = ("Lyon", "Porto", "Graz", "Bergen", "Turin", "Ghent", "Krakow", "Malaga")
JOBS = ("Baker", "Nurse", "Architect", "Librarian", "Electrician", "Violinist", "Notary", "Gardener")
GOODS = ("Desk Lamp", "Backpack", "Kettle", "Umbrella", "Notebook Set", "Headphones")
COLOURS = ("blue", "green", "black", "red")
STREETS = ("Mill Lane", "Harbour Street", "Station Road", "Orchard Row", "Castle Hill", "Ferry Street")
SUBJECTS = ("Minutes of Thursday", "Choir on Friday", "Garden tools", "Train tickets", "Recipe", "Book club")


class Universe:
    """One universe: what its people are called and what lies in their applications."""

    def __init__(self, number):
        self.number = number
        self.random = random.Random(number)
        self.people = self._people()
        self.user, self.friend, self.partner, self.guest, self.namesake, self.other = self.people[:6]
        self.goods = self._goods()
        self.flats = self._flats()
        self.mails = [self.mail(p, s, f"About {s.lower()}.", 5) for p, s in zip(self.people[2:], SUBJECTS)]
        self.events = {}

    def identifier(self):
        return f"{self.random.getrandbits(128):032x}"

    def _people(self):
        firsts = self.random.sample(FIRST_NAMES, 8)
        lasts = self.random.sample(LAST_NAMES, 8)
        # Two people with one first name: only their last names tell them apart.
        firsts[5] = firsts[4]
        cities = self.random.sample(CITIES, 8)
        jobs = self.random.sample(JOBS, 8)
        # Two people with one job: only their cities tell them apart.
        jobs[6] = jobs[3]
        return [self._person(*row, index) for index, row in enumerate(zip(firsts, lasts, cities, jobs))]

    def _person(self, first, last, city, job, index):
        return {
            "first_name": first,
            "last_name": last,
            "contact_id": self.identifier(),
            "is_user": index == 0,
            "gender": "Unknown",
            "age": self.random.randint(24, 68),
            "nationality": "",
            "city_living": city,
            "country": "",
            "status": "Employed",
            "job": job,
            "description": "",
            "phone": f"+4990{self.number:02d}{index:05d}",
            "email": f"{first}.{last}@example.org".lower(),
            "address": f"{self.random.randint(1, 90)} {self.random.choice(STREETS)}, {city}",
        }

    def _goods(self):
        goods = {}
        for name in self.random.sample(GOODS, 4):
            price = self.random.randint(12, 80)
            variants = {}
            for colour in COLOURS[:3]:
                item = self.identifier()
                options = {"color": colour}
                variants[item] = {"price": price + 0.5, "available": True, "item_id": item, "options": options}
            product = self.identifier()
            goods[product] = {"name": name, "product_id": product, "variants": variants}
        return goods

    def _flats(self):
        flats = {}
        prices = self.random.sample(range(600, 1900, 50), 6)
        for index, price in enumerate(prices):
            flats[self.identifier()] = {
                "name": f"{self.random.randint(1, 90)} {STREETS[index]}",
                "location": self.people[1 + index % 2]["city_living"],
                "zip_code": f"{10000 + self.number * 100 + index}",
                "price": float(price),
                "bedrooms": 1 + index // 2,
                "bathrooms": 1,
                "property_type": "Apartment",
                "square_footage": 400 + 90 * index,
                "furnished_status": "Furnished",
                "floor_level": "Upper floors",
                "pet_policy": "Pets allowed",
                "lease_term": "1 year",
                "amenities": [],
            }
        return flats

    def mail(self, sender, subject, content, hours):
        """A letter to the user, so many hours before the start."""
        return {
            "sender": sender if isinstance(sender, str) else sender["email"],
            "recipients": [self.user["email"]],
            "subject": subject,
            "content": content,
            "email_id": self.identifier(),
            "parent_id": None,
            "cc": [],
            "attachments": {},
            "timestamp": START - 3600.0 * hours,
            "is_read": True,
        }

    def appointment(self, title, start, end, attendees):
        """An appointment; times are seconds from the start."""
        event = {
            "event_id": self.identifier(),
            "title": title,
            "start_datetime": START + start,
            "end_datetime": START + end,
            "tag": None,
            "description": None,
            "location": None,
            "attendees": [full(person) for person in attendees],
        }
        self.events[event["event_id"]] = event
        return event

    def variant(self, colour):
        """The first product's name and its item of a colour."""
        product = next(iter(self.goods.values()))
        items = product["variants"].values()
        return product["name"], next(item["item_id"] for item in items if item["options"]["color"] == colour)

    def apps(self):
        """The applications with their states. All scenarios have the same ones."""
        folders = {name: {"folder_name": name, "emails": []} for name in ("INBOX", "SENT", "DRAFT", "TRASH")}
        folders["INBOX"]["emails"] = sorted(self.mails, key=lambda mail: mail["timestamp"])
        contacts = {person["contact_id"]: person for person in self.people}
        cab = {"nb_seats": 4, "price_per_km": 1.0, "base_delay_min": 5, "max_distance_km": 25}
        cabs = {"ride_history": [], "quotation_history": [], "d_service_config": {"Default": cab}}
        limits = {"api_call_count": 0, "api_call_limit": 100, "rate_limit_cooldown_seconds": 1800}
        states = (
            ("AgentUserInterface", "AgentUserInterface", {"messages": []}),
            ("SystemApp", "SystemApp", {}),
            ("Contacts", "ContactsApp", {"contacts": contacts, "view_limit": 10}),
            ("Emails", "EmailClientV2", {"user_email": self.user["email"], "view_limit": 5, "folders": folders}),
            ("Calendar", "CalendarApp", {"events": self.events}),
            ("Messages", "MessagingAppV2", self._talk("PHONE_NUMBER", "phone")),
            ("Chats", "MessagingAppV2", self._talk("NAME", "contact_id")),
            ("Shopping", "ShoppingApp", {"products": self.goods, "discount_codes": {}, "cart": {}, "orders": {}}),
            ("Cabs", "CabApp", cabs),
            ("City", "CityApp", {"crime_data": {}, **limits}),
            ("RentAFlat", "ApartmentListingApp", {"apartments": self.flats, "saved_apartments": []}),
        )
        return [{"name": name, "class_name": kind, "app_state": state} for name, kind, state in states]

    def _talk(self, mode, key):
        return {
            "conversations": {},
            "messages_view_limit": 10,
            "conversation_view_limit": 5,
            "mode": mode,
            "name_to_id": {full(person): person[key] for person in self.people},
            "id_to_name": {person[key]: full(person) for person in self.people},
            "current_user_id": self.user[key],
            "current_user_name": full(self.user),
        }


def full(person):
    return f"{person['first_name']} {person['last_name']}"
