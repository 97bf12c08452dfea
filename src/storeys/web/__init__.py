"""The web app: a server that keeps matches, and pages to play them on.

``store`` keeps tables and their events in a database, ``tables`` plays matches over it, ``live``
tells browsers that something has happened, ``workers`` let bots think in processes of their own,
``states`` says what a browser may see, ``app`` ties them together.
"""
