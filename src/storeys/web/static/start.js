// The page comes with its picture: that is painted first, then the script takes it over.

const painted = new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 500); // a page that is not looked at is not painted
});

painted.then(() => import("./match.js"));

export {};
