"""The task families of our own small world: three tasks each, with a reference and an evaluation.

A scenario stands in one split only. A task is a person (by number), the values that fill the texts,
and the expected answer, or none. The texts' `{name}` are those values. The reference is the body of
`solution(apis)`, the evaluation's checks come after the usual ones.
"""

LOGIN = '''
passwords = {entry["account_name"]: entry["password"] for entry in apis.supervisor.show_account_passwords()}
profile = apis.supervisor.show_profile()
token = apis.%(app)s.login(username=profile["email"], password=passwords["%(app)s"])["access_token"]
'''

PAGES = '''
def pages(function, **arguments):
    found, index = [], 0
    while page := function(access_token=token, page_index=index, page_limit=20, **arguments):
        found, index = found + page, index + 1
    return found
'''

FRIEND = '''
friend = next(one for one in pages(apis.venmo.search_friends) if one["first_name"] == {friend!r})
'''


class Scenario:
    """One family: `changes` are the models that may and must change."""

    def __init__(self, id, split, difficulty, app, instruction, reference, tasks, changes=(), checks=""):
        self.id, self.split, self.difficulty, self.app = id, split, difficulty, app
        self.instruction, self.tasks, self.changes, self.checks = instruction, tasks, changes, checks
        self.reference = LOGIN % {"app": app} + PAGES + reference


MONEY_SENT = '''
    with test("assert one payment was made, to the right friend, of the right amount, with the right note."):
        added, _, removed = models.changed_records("venmo.Transaction")
        receiver = models.end.venmo.User.by_id(added[0].receiver_id) if len(added) == 1 else None
        found = [(receiver.first_name, one.amount, one.description) for one in added] if receiver else []
        test.case((found, len(removed)), "==", ([(public_data.friend, public_data.amount, public_data.what)], 0))
'''

MONEY_ASKED = '''
    with test("assert one request was made, of the right friend, of the right amount, with the right note."):
        added, _, removed = models.changed_records("venmo.PaymentRequest")
        receiver = models.end.venmo.User.by_id(added[0].receiver_id) if len(added) == 1 else None
        found = [(receiver.first_name, one.amount, one.description) for one in added] if receiver else []
        test.case((found, len(removed)), "==", ([(public_data.friend, public_data.amount, public_data.what)], 0))
'''

NOTE_CHANGED = '''
    with test("assert the note has the new line at its end, and no other note has changed."):
        added, updated, removed = models.changed_records("simple_note.Note")
        found = [(one.title, one.content.splitlines()[-1]) for one in updated]
        test.case((found, len(added), len(removed)), "==", ([(public_data.title, public_data.line)], 0, 0))
'''

NOTE_GONE = '''
    with test("assert the note is gone, and no other note has changed."):
        added, updated, removed = models.changed_records("simple_note.Note")
        found = [one.title for one in removed]
        test.case((found, len(added), len(updated)), "==", ([public_data.title], 0, 0))
'''

PLAYLIST_MADE = '''
    with test("assert there is one new playlist with the right title and the right songs."):
        added, updated, removed = models.changed_records("spotify.Playlist")
        songs, _, lost = models.changed_records("spotify.PlaylistSong")
        owned = [one for one in songs if [one.playlist_id] == [playlist.id for playlist in added]]
        titles = sorted(models.end.spotify.Song.by_id(one.song_id).title for one in owned)
        found = ([one.title for one in added], titles, len(songs) - len(owned), len(updated), len(removed), len(lost))
        test.case(found, "==", ([public_data.title], sorted(private_data.songs), 0, 0, 0, 0))
'''

TASKS_DONE = '''
    with test("assert all open tasks of the project and of that priority are done, and no other has changed."):
        added, updated, removed = models.changed_records("todoist.Task")
        found = sorted((one.project.name, one.title, one.is_completed) for one in updated)
        wanted = sorted((public_data.project, title, True) for title in private_data.titles)
        test.case((found, len(added), len(removed)), "==", (wanted, 0, 0))
'''

REQUEST_PAID = '''
    with test("assert the friend's request is approved, and no other request has changed."):
        added, updated, removed = models.changed_records("venmo.PaymentRequest")
        senders = [models.end.venmo.User.by_id(one.sender_id).first_name for one in updated if one.approved_at]
        test.case((senders, len(updated), len(added), len(removed)), "==", ([public_data.friend], 1, 0, 0))
'''

DONE = "apis.supervisor.complete_task()\n"
PAID = ("venmo.Transaction", "venmo.User", "venmo.Notification")

SCENARIOS = [
    Scenario(
        "playlistsize", "train", 1, "spotify",
        "How many songs are in my Spotify playlist \"{title}\"?",
        'playlist = next(one for one in pages(apis.spotify.show_playlist_library) if one["title"] == {title!r})\n'
        'apis.supervisor.complete_task(answer=len(playlist["song_ids"]))\n',
        [(0, {"title": "Rainy Sunday"}, 5), (1, {"title": "Long Drive"}, 6), (2, {"title": "Deep Work"}, 7)],
    ),
    Scenario(
        "mostplayed", "train", 2, "spotify",
        "Which song in my Spotify song library has been played most often? Give me its title.",
        'songs = [apis.spotify.show_song(song_id=one["song_id"]) for one in pages(apis.spotify.show_song_library)]\n'
        'apis.supervisor.complete_task(answer=max(songs, key=lambda song: song["play_count"])["title"])\n',
        [(0, {}, "Salt on the Window"), (3, {}, "Half Past Velvet"), (4, {}, "Burn the Map")],
    ),
    Scenario(
        "sendmoney", "train", 1, "venmo",
        "Send ${amount} to my friend {friend} on Venmo with the note \"{what}\".",
        FRIEND + 'apis.venmo.create_transaction(receiver_email=friend["email"], amount={amount}, description={what!r}, '
        "access_token=token)\n" + DONE,
        [
            (0, {"friend": "Chiara", "amount": 23, "what": "Half of the rent for the boat"}, None),
            (2, {"friend": "Ferran", "amount": 9, "what": "Strings"}, None),
            (5, {"friend": "Bruno", "amount": 61, "what": "Flight"}, None),
        ],
        PAID, MONEY_SENT,
    ),
    Scenario(
        "noteline", "train", 2, "simple_note",
        "Add the line \"{line}\" at the end of my note \"{title}\" in Simple Note.",
        'note = next(one for one in pages(apis.simple_note.search_notes) if one["title"] == {title!r})\n'
        'whole = apis.simple_note.show_note(note_id=note["note_id"], access_token=token)["content"]\n'
        'apis.simple_note.update_note(note_id=note["note_id"], content=whole + "\\n" + {line!r}, access_token=token)\n'
        + DONE,
        [
            (1, {"title": "Packing list", "line": "spare socks"}, None),
            (3, {"title": "Books to read", "line": "The Left Hand of Darkness"}, None),
            (4, {"title": "Spice rack", "line": "star anise"}, None),
        ],
        ("simple_note.Note",), NOTE_CHANGED,
    ),
    Scenario(
        "longestsong", "dev", 2, "spotify",
        "What is the title of the longest song in my Spotify playlist \"{title}\"?",
        'playlist = next(one for one in pages(apis.spotify.show_playlist_library) if one["title"] == {title!r})\n'
        'songs = [apis.spotify.show_song(song_id=id) for id in playlist["song_ids"]]\n'
        'apis.supervisor.complete_task(answer=max(songs, key=lambda song: song["duration"])["title"])\n',
        [(3, {"title": "Kitchen"}, "Foxes in the Orchard"), (4, {"title": "Festival"}, "Cold Copper Sky"),
         (5, {"title": "Slow Days"}, "Slow Blue Engine")],
    ),
    Scenario(
        "leastplayed", "test_normal", 2, "spotify",
        "Which song in my Spotify song library has been played least often? Give me its title.",
        'songs = [apis.spotify.show_song(song_id=one["song_id"]) for one in pages(apis.spotify.show_song_library)]\n'
        'apis.supervisor.complete_task(answer=min(songs, key=lambda song: song["play_count"])["title"])\n',
        [(1, {}, "Salt on the Window"), (2, {}, "Lantern Nine"), (4, {}, "Orbit of Two")],
    ),
    Scenario(
        "askmoney", "test_normal", 1, "venmo",
        "Request ${amount} from my friend {friend} on Venmo with the note \"{what}\".",
        FRIEND + 'apis.venmo.create_payment_request(user_email=friend["email"], amount={amount}, description={what!r}, '
        "access_token=token)\n" + DONE,
        [
            (1, {"friend": "Elif", "amount": 19, "what": "Printer paper"}, None),
            (3, {"friend": "Ada", "amount": 44, "what": "Stove"}, None),
            (4, {"friend": "Bruno", "amount": 6, "what": "Ice cream"}, None),
        ],
        ("venmo.PaymentRequest", "venmo.Notification"), MONEY_ASKED,
    ),
    Scenario(
        "dropnote", "test_normal", 1, "simple_note",
        "Delete my note \"{title}\" in Simple Note.",
        'note = next(one for one in pages(apis.simple_note.search_notes) if one["title"] == {title!r})\n'
        'apis.simple_note.delete_note(note_id=note["note_id"], access_token=token)\n' + DONE,
        [(0, {"title": "Wifi at the cabin"}, None), (2, {"title": "Gift ideas"}, None), (5, {"title": "Bike repairs"}, None)],
        ("simple_note.Note",), NOTE_GONE,
    ),
    Scenario(
        "genreplaylist", "test_normal", 3, "spotify",
        "Make a Spotify playlist \"{title}\" of all songs that I have liked and whose genre is {genre}.",
        'liked = [apis.spotify.show_song(song_id=one["song_id"]) for one in pages(apis.spotify.show_liked_songs)]\n'
        'made = apis.spotify.create_playlist(title={title!r}, access_token=token)["playlist_id"]\n'
        'for song in liked:\n'
        '    if song["genre"] == {genre!r}:\n'
        '        apis.spotify.add_song_to_playlist(playlist_id=made, song_id=song["song_id"], access_token=token)\n'
        + DONE,
        [
            (1, {"title": "Blue Hours", "genre": "jazz"}, None, {"songs": ["Slow Blue Engine", "Half Past Velvet",
                                                                             "Orbit of Two"]}),
            (2, {"title": "Window Seat", "genre": "indie"}, None, {"songs": ["Salt on the Window", "Tin Roof Weather",
                                                                               "Harbour Lights Again"]}),
            (4, {"title": "Campfire", "genre": "folk"}, None, {"songs": ["Ferry to Nowhere", "Foxes in the Orchard",
                                                                           "A Borrowed Coat"]}),
        ],
        ("spotify.Playlist", "spotify.PlaylistSong"), PLAYLIST_MADE,
    ),
    Scenario(
        "donetasks", "test_challenge", 3, "todoist",
        "Mark all open tasks of {priority} priority in my Todoist project \"{project}\" as done.",
        'project = next(one for one in pages(apis.todoist.show_projects) if one["name"] == {project!r})\n'
        'id = project["project_id"]\n'
        'listed = apis.todoist.show_tasks(project_id=id, priority={priority!r}, access_token=token)\n'
        'for task in listed["no_section_tasks"]:\n'
        '    if not task["is_completed"]:\n'
        '        apis.todoist.update_task(task_id=task["task_id"], is_completed=True, access_token=token)\n' + DONE,
        [
            (0, {"project": "Garden", "priority": "high"}, None, {"titles": ["Order compost"]}),
            (2, {"project": "Flat", "priority": "high"}, None, {"titles": ["Call the plumber"]}),
            (5, {"project": "Flat", "priority": "low"}, None, {"titles": ["Paint the hallway"]}),
        ],
        ("todoist.Task",), TASKS_DONE,
    ),
    Scenario(
        "payback", "test_challenge", 2, "venmo",
        "Approve the payment request that my friend {friend} has sent me on Venmo.",
        'asked = pages(apis.venmo.show_received_payment_requests, status="pending")\n'
        'wanted = next(one for one in asked if one["sender"]["name"].startswith({friend!r}))\n'
        'apis.venmo.approve_payment_request(payment_request_id=wanted["payment_request_id"], access_token=token)\n' + DONE,
        [(0, {"friend": "Chiara"}, None), (1, {"friend": "Dmitri"}, None), (2, {"friend": "Elif"}, None)],
        ("venmo.PaymentRequest", *PAID), REQUEST_PAID,
    ),
]
