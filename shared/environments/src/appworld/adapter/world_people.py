"""What is in our own small world before any task: people, accounts, music, money, notes, plans.

Everything here is made up, and all of it is small: enough for listings to have a second page and for
names to repeat. The functions write through the apps' own models, under the frozen clock of the caller.
"""

# First name, last name, phone number, birthday.
PEOPLE = [
    ("Ada", "Lindqvist", "3105550141", "1988-03-02"),
    ("Bruno", "Castellan", "3105550142", "1991-11-20"),
    ("Chiara", "Okonjo", "3105550143", "1985-07-14"),
    ("Dmitri", "Halloran", "3105550144", "1994-01-30"),
    ("Elif", "Marchetti", "3105550145", "1990-09-09"),
    ("Ferran", "Oyelaran", "3105550146", "1983-05-25"),
]

ACCOUNTS = ("amazon", "phone", "file_system", "spotify", "venmo", "gmail", "splitwise", "simple_note", "todoist")
BY_PHONE = ("phone",)

ARTISTS = [("Glass Harbour", "indie"), ("Velvet Orbit", "jazz"), ("Paper Foxes", "folk"), ("Nine Lanterns", "rock")]

# Title, number of its artist, genre, seconds, plays.
SONGS = [
    ("Salt on the Window", 1, "indie", 201, 431),
    ("Tin Roof Weather", 1, "indie", 188, 977),
    ("A Borrowed Coat", 3, "folk", 240, 120),
    ("Ferry to Nowhere", 3, "folk", 255, 655),
    ("Slow Blue Engine", 2, "jazz", 322, 87),
    ("Half Past Velvet", 2, "jazz", 298, 764),
    ("Orbit of Two", 2, "jazz", 275, 402),
    ("Burn the Map", 4, "rock", 210, 1203),
    ("Lantern Nine", 4, "rock", 199, 58),
    ("Cold Copper Sky", 4, "rock", 231, 530),
    ("Harbour Lights Again", 1, "indie", 205, 311),
    ("Foxes in the Orchard", 3, "folk", 263, 842),
    ("Quiet Machinery", 2, "jazz", 312, 219),
    ("Last Train Singing", 4, "rock", 224, 690),
]

# Of each person: numbers of the songs in the library, of the liked songs, and the playlists.
LIBRARIES = {
    "Ada": ([1, 3, 5, 7, 9, 11, 13], [2, 4, 6, 8], {"Morning Run": [8, 2, 14], "Rainy Sunday": [1, 3, 5, 7, 13]}),
    "Bruno": ([2, 4, 6, 10, 12, 14, 1], [5, 6, 7, 12], {"Long Drive": [8, 10, 14, 9, 2, 4], "Dinner": [5, 6]}),
    "Chiara": ([8, 9, 5, 3, 12, 11], [1, 2, 11, 5, 13, 7], {"Deep Work": [5, 7, 13, 6, 1, 3, 12], "Gym": [8]}),
    "Dmitri": ([13, 10, 3, 4, 5, 6, 1], [8, 9, 10, 3], {"Kitchen": [3, 4, 12, 2], "Night Shift": [13]}),
    "Elif": ([6, 2, 8, 14, 4, 7], [4, 12, 3, 14], {"Festival": [8, 9, 10, 14, 2], "Trains": [4, 14]}),
    "Ferran": ([12, 11, 10, 9, 7, 5], [10, 14, 2, 1], {"Workshop": [10, 9], "Slow Days": [5, 3, 12, 7, 6, 13]}),
}

# Everyone but the last is a friend of the next three.
FRIENDS = {0: (1, 2, 3), 1: (2, 3, 4), 2: (3, 4, 5), 3: (4, 5, 0), 4: (5, 0, 1), 5: (0, 1, 2)}

# Sender, receiver, dollars, what for: payments that were made.
PAYMENTS = [
    (1, 0, 18.0, "Cinema"), (2, 0, 7.5, "Coffee and cake"), (3, 0, 42.0, "Concert tickets"), (0, 1, 25.0, "Groceries"),
    (2, 1, 12.0, "Taxi"), (0, 2, 64.0, "Climbing course"), (4, 2, 9.0, "Parking"), (1, 3, 31.0, "Paint"),
    (5, 3, 15.0, "Pizza"), (3, 4, 22.0, "Train"), (5, 4, 27.0, "Museum"), (4, 5, 11.0, "Lunch"),
]

# Sender, receiver, dollars, what for: requests that nobody has answered yet.
REQUESTS = [
    (1, 0, 14.0, "Museum tickets"), (2, 0, 33.0, "Ski rental"), (3, 1, 8.5, "Lunch on Friday"), (4, 1, 21.0, "Petrol"),
    (4, 2, 17.0, "Board game"), (5, 2, 29.0, "Wine"), (5, 3, 12.5, "Batteries"), (0, 3, 40.0, "Tent"),
]

# Title, content, tags: everyone has these, and one of their own.
NOTES = [
    ("Packing list", "passport\nrain jacket\nhead torch", ["travel"]),
    ("Books to read", "The Stone Raft\nFlights", ["books"]),
    ("Gift ideas", "a kite\na puzzle of the city map", ["people"]),
    ("Wifi at the cabin", "network: pinecone", ["home"]),
    ("Spice rack", "cumin\npaprika\nsumac", ["home", "kitchen"]),
    ("Bike repairs", "new chain\nbrake pads", ["bike"]),
]

# Projects with their tasks: title, priority, whether it is done.
PROJECTS = {
    "Garden": [("Prune the roses", "low", False), ("Order compost", "high", False), ("Mend the fence", "medium", True)],
    "Flat": [("Call the plumber", "high", False), ("Paint the hallway", "low", False), ("Clean the filters", "high", True)],
}


def email(person):
    return f"{person[0]}.{person[1]}@example.com".lower()


def password(person, account):
    """A password that a person can read and no dictionary has."""
    return f"{person[0].lower()}-{account.replace('_', '-')}-{person[2][-3:]}"


def populate(models):
    """Writes the world through the apps' models."""
    users = {account: [user(models, person, account) for person in PEOPLE] for account in ACCOUNTS}
    music(models.spotify, users["spotify"])
    money(models.venmo, users["venmo"])
    contacts(models.phone, users["phone"])
    notes(models.simple_note, users["simple_note"])
    plans(models.todoist, users["todoist"])


def user(models, person, account):
    address = {"phone_number": person[2]} if account in BY_PHONE else {"email": email(person)}
    more = {"venmo_balance": 500.0} if account == "venmo" else {}
    return models[account].User.create_save(
        first_name=person[0], last_name=person[1], password=password(person, account), verified=True, **address, **more
    )


def music(spotify, users):
    for name, genre in ARTISTS:
        spotify.Artist.create_save(name=name, genre=genre)
    released = spotify.User.all()[0].created_at
    for title, artist, genre, seconds, plays in SONGS:
        spotify.Song.create_save(
            title=title, artist_ids=[artist], genre=genre, duration=seconds, play_count=plays, release_date=released
        )
    for person, owner in zip(PEOPLE, users):
        spotify.MusicPlayer.create_save(user_id=owner.id)
        library, liked, playlists = LIBRARIES[person[0]]
        for song in library:
            spotify.UserLibrarySong.create_save(user_id=owner.id, song_id=song)
        for song in liked:
            spotify.SongLike.create_save(user_id=owner.id, song_id=song)
        for title, songs in playlists.items():
            playlist = spotify.Playlist.create_save(title=title, user_id=owner.id)
            for song in songs:
                spotify.PlaylistSong.create_save(playlist_id=playlist.id, song_id=song)


def money(venmo, users):
    for one, others in FRIENDS.items():
        for other in others:
            venmo.Friendship.create_save(user_id=users[one].id, friend_id=users[other].id)
    for sender, receiver, amount, what in PAYMENTS:
        venmo.Transaction.create_save(
            sender_id=users[sender].id, receiver_id=users[receiver].id, amount=amount, description=what
        )
    for sender, receiver, amount, what in REQUESTS:
        venmo.PaymentRequest.create_save(
            sender_id=users[sender].id, receiver_id=users[receiver].id, amount=amount, description=what
        )


def contacts(phone, users):
    for one, others in FRIENDS.items():
        for other in others:
            person = PEOPLE[other]
            phone.Contact.create_save(
                user_id=users[one].id, first_name=person[0], last_name=person[1], email=email(person),
                phone_number=person[2], birthday=person[3], relationships=["friend"],
            )


def notes(simple_note, users):
    for person, owner in zip(PEOPLE, users):
        for title, content, tags in NOTES:
            simple_note.Note.create_save(user_id=owner.id, title=title, content=content, tags=tags)
        simple_note.Note.create_save(
            user_id=owner.id, title=f"{person[0]}'s bucket list", content="see the northern lights", tags=["travel"]
        )


def plans(todoist, users):
    for owner in users:
        inbox = todoist.Project.create_save(user_id=owner.id, name="Inbox", is_inbox=True)
        todoist.ProjectCollaboratorLink.create_save(project_id=inbox.id, user_id=owner.id)
        for name, tasks in PROJECTS.items():
            project = todoist.Project.create_save(user_id=owner.id, name=name)
            todoist.ProjectCollaboratorLink.create_save(project_id=project.id, user_id=owner.id)
            for index, (title, priority, done) in enumerate(tasks):
                todoist.Task.create_save(
                    project_id=project.id, user_id=owner.id, title=title, priority=priority, is_completed=done,
                    order_index=index,
                )
